import Foundation
import Testing

@testable import FanfareDevice

@Suite("Tokens")
struct TokenTests {
    private func token(_ byte: UInt8, _ type: String = "Match") -> SystemEvent {
        .pushToStartToken(Data([byte]), activityType: type)
    }

    @Test("A token that the gateway has confirmed is told once, and again after a week")
    func duplicates() {
        var machine = Given.signedIn()
        machine.happened(token(1), at: Given.moment(0))
        #expect(machine.sendAll(at: 0) == ["PUT device", "PUT push-to-start-token"])
        machine.happened(token(1), at: Given.moment(10))
        machine.signedIn(Given.ann, Given.description, at: Given.moment(10))
        #expect(machine.sendAll(at: 10) == [])
        machine.happened(token(1), at: Given.moment(604_801))
        #expect(machine.sendAll(at: 604_801) == ["PUT push-to-start-token"])
    }

    @Test("Of a storm only the newest is sent")
    func storm() throws {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        for byte in 1...200 as ClosedRange<UInt8> { machine.happened(token(byte), at: Given.moment(1)) }
        let next = try machine.next(at: 1)
        #expect(String(decoding: next.request.body ?? Data(), as: UTF8.self).contains(#""token":"c8""#))
        machine.answered(next.id, ScriptedPhone.answered(ModelGateway.success()), at: Given.moment(1), draw: 0)
        #expect(machine.queue.waiting.isEmpty)
    }

    @Test("A token that comes back while another one is on its way is told again")
    func comesBack() throws {
        var machine = Given.signedIn()
        machine.happened(token(1), at: Given.moment(0))
        machine.sendAll(at: 0)
        machine.happened(token(2), at: Given.moment(1))
        let second = try machine.next(at: 1)
        machine.happened(token(1), at: Given.moment(2))
        machine.answered(second.id, .notSent, at: Given.moment(2), draw: 0)
        #expect(machine.sendAll(at: 60) == ["PUT push-to-start-token"])
        #expect(machine.queue.confirmed["start:Match"]?.report == .pushToStartToken("01", activityType: "Match"))
    }

    @Test("When another one may have arrived the former one is told again")
    func mayHaveArrived() throws {
        var machine = Given.signedIn()
        machine.happened(.found(FoundLiveActivity(systemID: "a", activityType: "Match")), at: Given.moment(0))
        machine.happened(.updateToken(Data([1]), systemID: "a"), at: Given.moment(0))
        machine.sendAll(at: 0)
        machine.happened(.updateToken(Data([2]), systemID: "a"), at: Given.moment(1))
        machine.answered(try machine.next(at: 1).id, .unanswered, at: Given.moment(16), draw: 0)
        // The token is now too old to send.
        machine.passed(at: Given.moment(86_402))
        machine.happened(.updateToken(Data([1]), systemID: "a"), at: Given.moment(86_402))
        #expect(machine.sendAll(at: 86_402) == ["POST sync"])
    }

    @Test("When an older one may arrive late the newer one is told once more after a minute")
    func settling() throws {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        machine.happened(token(1), at: Given.moment(1))
        let first = try machine.next(at: 1)
        machine.answered(first.id, .unanswered, at: Given.moment(16), draw: 0)
        machine.happened(token(2), at: Given.moment(17))
        #expect(machine.sendAll(at: 30) == ["PUT push-to-start-token"])
        #expect(machine.pause(at: Given.moment(30)) == 46)
        #expect(machine.sendAll(at: 75) == [])
        #expect(machine.sendAll(at: 76) == ["PUT push-to-start-token"])
        #expect(machine.queue.waiting.isEmpty)
    }

    @Test("Tokens that come before somebody signs in wait for that, and are told anew for the next one who does")
    func logins() {
        var machine = DeviceMachine()
        machine.happened(token(1), at: Given.moment(0))
        #expect(machine.sendAll(at: 0) == [])
        machine.signedIn(Given.ann, Given.description, at: Given.moment(1))
        #expect(machine.sendAll(at: 1) == ["PUT device", "PUT push-to-start-token"])
        machine.signedIn(Given.bob, Given.description, at: Given.moment(2))
        #expect(machine.sendAll(at: 2) == ["PUT device", "PUT push-to-start-token"])
        machine.signedIn(Given.ann, Given.description, at: Given.moment(3))
        // The gateway knows Ann's description, but assigns the token to Bob.
        #expect(machine.sendAll(at: 3) == ["PUT push-to-start-token"])
    }

    @Test("Whoever signs out is forgotten behind his wishes, and told anew when he comes back")
    func signingOut() {
        var machine = Given.signedIn()
        machine.happened(token(1), at: Given.moment(0))
        machine.sendAll(at: 0)
        machine.happened(token(2), at: Given.moment(1))
        _ = machine.wished(false, "ajax-psv", at: Given.moment(1))
        machine.signedOut(at: Given.moment(1))
        machine.signedIn(Given.ann, Given.description, at: Given.moment(2))
        #expect(
            machine.sendAll(at: 2) == [
                "DELETE topics/ajax-psv/follow", "DELETE device", "PUT device", "PUT push-to-start-token",
            ])
    }

    @Test("An erasure waits for a wish that nobody signs for just now")
    func erasureWaits() {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        _ = machine.wished(false, "ajax-psv", at: Given.moment(1))
        machine.signedOut(at: Given.moment(1))
        #expect(machine.sendAll(at: 1, DeviceMachine.refusal(401, "UNAUTHORIZED")) == ["DELETE topics/ajax-psv/follow"])
        #expect(machine.sendAll(at: 2) == [])
        #expect(machine.sendAll(at: 1000) == ["DELETE topics/ajax-psv/follow", "DELETE device"])
    }

    @Test("While the user does not allow Live Activities the gateway is told not to push")
    func permission() {
        var machine = Given.signedIn()
        machine.happened(.permission(allowsActivities: false, frequentPushes: true), at: Given.moment(0))
        let body = machine.nextSending(at: Given.moment(0))?.request.body ?? Data()
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"insider_id":"ann","udid":"phone-1","platform":"ios","os_version":"18.1","#
                + #""app_version":"7.4.0","push_opt_in":false,"gdpr_consent":true,"#
                + #""frequent_pushes":true,"environment":"production"}"#
        )
    }
}
