import Foundation
import Testing

@testable import FanfareDevice

@Suite("When something is tried again")
struct RetryTests {
    @Test("Pauses double up to their limit, and are spread over half of it")
    func backoff() {
        let backoff = Backoff(first: 2, longest: 900)
        #expect(
            (1...12).map { backoff.pause(after: $0, draw: 0.999999).rounded() } == [
                2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900,
            ])
        #expect(backoff.pause(after: 3, draw: 0) == 4)
    }

    @Test("Without a network it is tried again after pauses that grow, and at a launch at once")
    func noNetwork() {
        var machine = Given.signedIn()
        #expect(machine.sendAll(at: 0, .notSent).count == 1)
        #expect(machine.pause(at: Given.moment(0)) == 1.5)
        #expect(machine.sendAll(at: 1, .notSent) == [])
        #expect(machine.sendAll(at: 1.5, .notSent).count == 1)
        #expect(machine.pause(at: Given.moment(1.5)) == 3)
        machine.launched(at: Given.moment(2))
        #expect(machine.sendAll(at: 2).count == 1)
        #expect(machine.queue.failures == 0)
    }

    @Test("An hour without a network costs fourteen tries")
    func hour() {
        var machine = Given.signedIn()
        var (time, tries) = (0.0, 0)
        while time < 3600 {
            tries += machine.sendAll(at: time, .notSent).count
            time += machine.pause(at: Given.moment(time)) ?? 3600
        }
        #expect(tries == 14)
    }

    @Test("Retry-After is honoured, also over a launch", arguments: [429, 503])
    func retryAfter(status: Int) {
        var machine = Given.signedIn()
        machine.sendAll(at: 0, DeviceMachine.refusal(status, "X", retryAfter: 41))
        machine.retried()
        machine.launched(at: Given.moment(10))
        #expect(machine.sendAll(at: 41) == [])
        // And not by all phones at once.
        #expect(machine.pause(at: Given.moment(41)).map { $0 > 9 && $0 < 21 } == true)
        #expect(machine.sendAll(at: 62).count == 1)
    }

    @Test("The header may be a number or a date")
    func header() {
        let now = Date(timeIntervalSince1970: 784_111_777)
        #expect(RetryAfter.seconds(" 120 ", now: now) == 120)
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:50:37 GMT", now: now) == 60)
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:00:00 GMT", now: now) == 0)
        #expect(RetryAfter.seconds("soon", now: now) == nil)
    }

    @Test("A refused signature is renewed once at once, and then everything pauses and says so")
    func unauthorized() {
        var machine = Given.signedIn()
        let refusal = DeviceMachine.refusal(401, "UNAUTHORIZED")
        #expect(machine.sendAll(at: 0, refusal).count == 2)
        #expect(machine.takeActions() == [.renewSignature(Given.ann), .renewSignature(Given.ann)])
        #expect(machine.deliveryState(at: Given.moment(0)) == .paused(.unauthorized, message: "no", seconds: 675))
        #expect(machine.sendAll(at: 674, refusal) == [])
        machine.retried()
        #expect(machine.sendAll(at: 674) == ["PUT device"])
        #expect(machine.deliveryState(at: Given.moment(674)) == .idle)
    }

    @Test(
        "What the customer may not pauses everything",
        arguments: [
            (403, "QUOTA_EXCEEDED", PauseReason.forbidden), (202, "", .switchedOff), (402, "", .forbidden),
        ])
    func pauses(status: Int, code: String, reason: PauseReason) {
        var machine = Given.signedIn()
        machine.happened(.pushToStartToken(Data([1]), activityType: "Match"), at: Given.moment(0))
        #expect(machine.sendAll(at: 0, DeviceMachine.refusal(status, code, quota: "users")).count == 1)
        guard case .paused(reason, _, 675) = machine.deliveryState(at: Given.moment(0)) else {
            Issue.record("\(machine.deliveryState(at: Given.moment(0)))")
            return
        }
        #expect(machine.sendAll(at: 675).count == 2)
    }

    @Test("What is wrong with one report is noted, and others go on")
    func refused() {
        var machine = Given.signedIn()
        machine.happened(.pushToStartToken(Data([1]), activityType: "Match"), at: Given.moment(0))
        #expect(machine.sendAll(at: 0, DeviceMachine.refusal(400, "VALIDATION_FAILED")).count == 2)
        #expect(machine.queue.refusals.map(\.kind) == ["device", "start token"])
        #expect(machine.queue.waiting.isEmpty)
    }

    @Test(
        "What never gets through holds up nothing else for a day",
        arguments: [
            GatewayAnswer.unanswered, .answered(status: 403, retryAfter: nil, body: Data("<html>".utf8)),
            .answered(status: 500, retryAfter: nil, body: Data()),
            .answered(status: 302, retryAfter: nil, body: Data("<html>".utf8)),
        ], ["topics/utrecht/follow", "device"])
    func stuck(answer: GatewayAnswer, path: String) {
        var phone = ScriptedPhone(seed: 3)
        phone.mayBeKilled = false
        phone.rotatesUnderWay = false
        phone.user = Given.ann
        phone.shown["Match-1"] = .init(token: nil, identity: Given.ann)
        phone.gateway.pushed["Match-1"] = Given.ann
        var tries = 0
        phone.barrier = { request in
            guard request.path.hasSuffix(path) else { return nil }
            tries += 1
            return answer
        }
        phone.launch()
        phone.machine.settings.staleAfter = nil
        phone.change { _ = $0.wished(true, "utrecht", at: $1) }
        for hour in 0..<24 {
            let (token, follows) = (Data([UInt8(hour)]), hour % 2 == 0)
            phone.shown["Match-1"]?.token = token
            phone.change { $0.happened(.updateToken(token, systemID: "Match-1"), at: $1) }
            phone.change { $0.happened(.pushToStartToken(token, activityType: "Match"), at: $1) }
            phone.change { _ = $0.wished(follows, "ajax-psv", at: $1) }
            phone.pass(30)
            #expect(phone.gateway.liveActivities["Match-1"]?.token == token.hex)
            #expect(phone.gateway.startTokens["Match"]?.token == token.hex)
            #expect(phone.gateway.wishes["ann"]?["ajax-psv"] == follows)
            phone.pass(3570)
        }
        print("what never gets through: \(tries) tries a day")
        #expect(tries > 10 && tries < 250)
        phone.barrier = { _ in nil }
        phone.pass(6 * 3600)
        #expect(phone.machine.queue.waiting.isEmpty)
    }

    @Test("A wish that never gets through keeps nobody from being forgotten for longer than a day")
    func erased() {
        var phone = ScriptedPhone(seed: 4)
        phone.mayBeKilled = false
        phone.user = Given.ann
        phone.barrier = { $0.path.hasSuffix("follow") ? .unanswered : nil }
        phone.launch()
        phone.pass(10)
        #expect(phone.gateway.devices[Given.ann] != nil)
        phone.change { _ = $0.wished(true, "utrecht", at: $1) }
        phone.change { $0.signedOut(at: $1) }
        phone.pass(85_000)
        #expect(phone.gateway.devices[Given.ann] != nil)
        phone.pass(3000)
        #expect(phone.gateway.devices[Given.ann] == nil)
        #expect(phone.machine.queue.waiting.isEmpty)
    }

    @Test("What is under way when its user signs out is not tried again", arguments: [true, false])
    func signedOut(hasAnswer: Bool) throws {
        var machine = Given.signedIn()
        let device = try machine.next(at: 0)
        machine.signedOut(at: Given.moment(1))
        let answer = hasAnswer ? DeviceMachine.refusal(503, "X", retryAfter: 1) : .unanswered
        machine.answered(device.id, answer, at: Given.moment(2), draw: 0)
        #expect(machine.sendAll(at: 100) == ["DELETE device"])
    }

    @Test("Behind a pause of all that goes first which has failed least")
    func order() {
        var machine = Given.signedIn()
        machine.happened(.pushToStartToken(Data([1]), activityType: "Match"), at: Given.moment(0))
        let refusal = DeviceMachine.refusal(429, "RATE_LIMITED", retryAfter: 10)
        #expect(machine.sendAll(at: 0, refusal) == ["PUT device"])
        #expect(machine.sendAll(at: 30, refusal) == ["PUT push-to-start-token"])
        #expect(machine.sendAll(at: 60) == ["PUT device", "PUT push-to-start-token"])
    }

    @Test("While nothing gets through one report more is tried, and then all wait")
    func nothing() {
        var machine = Given.signedIn()
        #expect(machine.sendAll(at: 0, .unanswered) == ["PUT device"])
        for type in ["Match", "Order", "Race"] {
            machine.happened(.pushToStartToken(Data([1]), activityType: type), at: Given.moment(0.1))
        }
        #expect(machine.sendAll(at: 0.1, .unanswered) == ["PUT push-to-start-token"])
        #expect(machine.pause(at: Given.moment(0.1)).map { $0 > 1 } == true)
        #expect(machine.sendAll(at: 60).count == 4)
    }

    @Test("A clock that was set back over a restart prolongs no pause", arguments: [-31_536_000.0, 0])
    func clockSetBack(wall: Double) throws {
        var machine = Given.signedIn()
        machine.sendAll(at: 0, DeviceMachine.refusal(503, "X", retryAfter: 600))
        var restored = try #require(Snapshot.machine(in: Snapshot.data(of: machine)))
        let restarted = Moment(wall: Given.moment(100, wall: wall).wall, uptime: 5)
        restored.launched(at: restarted)
        var later = restarted
        later.uptime += 700
        later.wall += 700
        #expect(restored.pause(at: later) == 0)
    }

    @Test("A page that somebody on the way puts in front is no answer", arguments: [200, 302, 404, 511])
    func captivePortal(status: Int) {
        var machine = Given.signedIn()
        machine.sendAll(at: 0, .answered(status: status, retryAfter: nil, body: Data("<html>".utf8)))
        #expect(machine.queue.waiting.count == 1)
    }

    @Test("A clock that is set neither ends a pause nor prolongs it", arguments: [-86_400.0, 86_400.0])
    func clock(wall: Double) {
        var machine = Given.signedIn()
        machine.sendAll(at: 0, DeviceMachine.refusal(503, "X", retryAfter: 10))
        #expect(machine.pause(at: Given.moment(4, wall: wall)) == 8.5)
    }

    @Test("For whom the app signs no more others do not wait")
    func formerUser() {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        machine.signedOut(at: Given.moment(1))
        machine.signedIn(Given.bob, Given.description, at: Given.moment(1))
        let erasure = machine.queue.waiting[0]
        #expect(machine.nextSending(at: Given.moment(1))?.request.identity == Given.bob)
        machine.answered(
            machine.queue.underWay ?? 0, ScriptedPhone.answered(ModelGateway.success()), at: Given.moment(1), draw: 0)
        #expect(machine.sendAll(at: 1, .unsigned) == ["DELETE device"])
        machine.happened(.pushToStartToken(Data([1]), activityType: "Match"), at: Given.moment(2))
        #expect(machine.sendAll(at: 2) == ["PUT push-to-start-token"])
        #expect(machine.queue.waiting.map(\.id) == [erasure.id])
        for try_ in 1...5 { machine.sendAll(at: Double(try_) * 30_000, .unsigned) }
        #expect(machine.queue.waiting.isEmpty)
    }

    @Test("A full queue drops the oldest tap, and takes no wish when there is none")
    func full() {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        #expect(machine.tapped("a", tapID: "t", at: Given.moment(0)) == true)
        for number in 1..<ReportQueue.capacity {
            _ = machine.queue.submit(
                .unfollow(topic: "t\(number)"), for: Given.ann, at: Given.moment(0), refreshAfter: 0)
        }
        #expect(machine.wished(false, "one-more", at: Given.moment(0)) == .noted)
        #expect(!machine.queue.waiting.contains { $0.report.kind == "tap" })
        #expect(machine.wished(false, "too-many", at: Given.moment(0)) == .full)
        #expect(machine.queue.waiting.count == ReportQueue.capacity)
    }
}
