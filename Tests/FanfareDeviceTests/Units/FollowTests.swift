import Foundation
import Testing

@testable import FanfareDevice

@Suite("Topics and their bells")
struct FollowTests {
    private func ready() -> DeviceMachine {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        return machine
    }

    private func list(_ topics: String) -> GatewayAnswer {
        ScriptedPhone.answered(ModelGateway.success(#","topics":[\#(topics)]"#))
    }

    @Test("A wish shows at once, is pending until its Live Activity is there, and then live")
    func bells() {
        var machine = ready()
        #expect(machine.bell("m") == .off)
        #expect(machine.wished(true, "m", at: Given.moment(1)) == .noted)
        #expect(machine.bell("m") == .pending)
        #expect(machine.followStates.map(\.isConfirmed) == [false])
        #expect(machine.sendAll(at: 1) == ["PUT topics/m/follow"])
        #expect(machine.followStates.map(\.isConfirmed) == [true])
        _ = machine.asked(at: Given.moment(2))
        machine.sendAll(
            at: 2, list(#"{"topic":"m","activity_type":"T","state":"live","activity_id":"x","device_state":"pending"}"#)
        )
        #expect(machine.bell("m") == .pending)
        _ = machine.asked(at: Given.moment(3))
        machine.sendAll(
            at: 3, list(#"{"topic":"m","activity_type":"T","state":"live","activity_id":"x","device_state":"active"}"#))
        #expect(machine.bell("m") == .live)
        machine.happened(.permission(allowsActivities: false, frequentPushes: false), at: Given.moment(4))
        #expect(machine.bell("m") == .noPermission)
        #expect(machine.wished(false, "m", at: Given.moment(5)) == .noted)
        #expect(machine.bell("m") == .off)
    }

    @Test("A Live Activity on this phone makes its bell live before the gateway has heard of it")
    func shownHere() {
        var machine = ready()
        _ = machine.wished(true, "m", at: Given.moment(0))
        machine.sendAll(at: 0)
        _ = machine.asked(at: Given.moment(1))
        machine.sendAll(
            at: 1, list(#"{"topic":"m","activity_type":"T","state":"live","activity_id":"x","device_state":"pending"}"#)
        )
        machine.happened(
            .found(FoundLiveActivity(systemID: "a", activityType: "T", activityID: "x")), at: Given.moment(2))
        #expect(machine.bell("m") == .live)
    }

    @Test("Wishes made without a network are told, the last one of each topic alone")
    func offline() {
        var machine = ready()
        for follows in [true, false, true, false] {
            _ = machine.wished(follows, "m", at: Given.moment(1))
            machine.sendAll(at: 1, .notSent)
        }
        machine.retried()
        #expect(machine.sendAll(at: 2) == ["DELETE topics/m/follow"])
        #expect(machine.bell("m") == .off)
        #expect(machine.follows.topics.isEmpty)
    }

    @Test("A wish that is refused is taken back on the phone", arguments: [true, false])
    func refused(before: Bool) {
        var machine = ready()
        if before {
            _ = machine.wished(true, "m", at: Given.moment(0))
            machine.sendAll(at: 0)
        }
        _ = machine.wished(!before, "m", at: Given.moment(1))
        machine.sendAll(at: 1, DeviceMachine.refusal(400, "VALIDATION_FAILED"))
        #expect(machine.bell("m") == (before ? .pending : .off))
        #expect(machine.queue.refusals.count == 1)
    }

    @Test("As many topics as a user may follow is a refusal of that wish alone")
    func tooMany() {
        for quota in [nil, "topics_per_user"] {
            var machine = ready()
            _ = machine.wished(true, "m", at: Given.moment(0))
            machine.sendAll(at: 0, DeviceMachine.refusal(403, "QUOTA_EXCEEDED", quota: quota))
            #expect(machine.bell("m") == .off)
            #expect(machine.deliveryState(at: Given.moment(0)) == .idle)
        }
    }

    @Test("The gateway's list takes what other phones wished, and not what was wished here since")
    func listed() throws {
        var machine = ready()
        for topic in ["kept", "dropped"] { _ = machine.wished(true, topic, at: Given.moment(0)) }
        machine.sendAll(at: 0)
        _ = machine.asked(at: Given.moment(1))
        let question = try machine.next(at: 1)
        #expect(question.request.path == "/api/v1/sdk/topics?insider_id=ann&udid=phone-1")
        _ = machine.wished(false, "kept", at: Given.moment(2))
        machine.answered(
            question.id,
            list(
                #"{"topic":"kept","activity_type":"T","state":"live"},{"topic":"new","activity_type":"T","state":"soon"}"#
            ),
            at: Given.moment(2), draw: 0)
        #expect(machine.followStates.filter { $0.bell != .off }.map(\.topic) == ["new"])
        #expect(machine.takeActions() == [.listed(true)])
        // A follow that another phone has removed is sent again when the user repeats it.
        #expect(machine.sendAll(at: 3) == ["DELETE topics/kept/follow"])
        _ = machine.wished(true, "dropped", at: Given.moment(4))
        #expect(machine.sendAll(at: 4) == ["PUT topics/dropped/follow"])
    }

    @Test(
        "Names that no topic can have are refused at once",
        arguments: ["", ".", "..", "a/b", "ä", String(repeating: "a", count: 129)])
    func names(name: String) {
        var machine = ready()
        #expect(machine.wished(true, name, at: Given.moment(0)) == .invalidName)
        #expect(machine.queue.waiting.isEmpty)
    }

    @Test("A user's thousandth topic is the last")
    func capacity() {
        var machine = ready()
        for number in 0..<1000 { #expect(machine.wished(true, "t\(number)", at: Given.moment(0)) == .noted) }
        #expect(machine.wished(true, "one-more", at: Given.moment(0)) == .full)
        #expect(machine.wished(true, "t5", at: Given.moment(0)) == .noted)
    }

    @Test("A dismissal between two wishes is told between them")
    func order() {
        var machine = ready()
        machine.happened(.found(FoundLiveActivity(systemID: "a", activityType: "T")), at: Given.moment(0))
        machine.sendAll(at: 0)
        machine.sendAll(at: 0, .notSent)
        _ = machine.wished(true, "m", at: Given.moment(0))
        machine.happened(.phase(.dismissed, systemID: "a"), at: Given.moment(0))
        _ = machine.wished(false, "m", at: Given.moment(0))
        _ = machine.wished(true, "m", at: Given.moment(0))
        #expect(machine.sendAll(at: 1) == ["POST dismissed", "PUT topics/m/follow"])
    }
}
