import Foundation
import Testing

@testable import FanfareDevice

@Suite("Schedules of what the app has opened")
struct ScheduleTests {
    private func ready() -> DeviceMachine {
        var machine = Given.signedIn()
        machine.happened(
            .found(FoundLiveActivity(systemID: "a", activityType: "Order", externalID: Given.order)),
            at: Given.moment(0))
        machine.sendAll(at: 0)
        return machine
    }

    private func change(
        _ id: String, in seconds: Double = 3600, content: String? = #"{"eta": 1.0}"#,
        event: ScheduledChange.Event = .update
    ) -> ScheduledChange {
        ScheduledChange(
            id: id, external: Given.order, event: event, contentState: content, label: id, expireAfter: 60,
            wait: Wait(from: Given.moment(0), seconds: seconds))
    }

    private func made(_ id: String) -> GatewayAnswer {
        ScriptedPhone.answered(ModelGateway.success(#","schedule_id":"\#(id)""#))
    }

    @Test("Its time counts from the wish, and its content goes out byte for byte")
    func body() throws {
        var machine = ready()
        #expect(machine.scheduled(change("one"), at: Given.moment(0)) == .queued(id: "one"))
        let next = try machine.next(at: 600)
        #expect(
            String(decoding: next.request.body ?? Data(), as: UTF8.self)
                == #"{"insider_id":"ann","udid":"phone-1","activity_type":"Order","external_id":"order-1","#
                + #""external_scope":"user","#
                + #""offset":3000,"event":"update","content_state":{"eta": 1.0},"name":"one","options":{"expire_after":60}}"#
        )
    }

    @Test(
        "After a lost answer the same request is made again, by its key", arguments: [nil, 200, 500, 504] as [Int?])
    func lost(status: Int?) throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(0))
        machine.sendAll(at: 0, made("s1"))
        _ = machine.scheduled(change("two"), at: Given.moment(1))
        let first = try machine.next(at: 1)
        let answer = status.map { GatewayAnswer.answered(status: $0, retryAfter: nil, body: Data()) } ?? .unanswered
        machine.answered(first.id, answer, at: Given.moment(16), draw: 0)
        // An unsent request leaves the outcome of the earlier one open.
        machine.answered(try machine.next(at: 20).id, .notSent, at: Given.moment(20), draw: 0)
        let second = try machine.next(at: 40)
        #expect(second == first)
        #expect(first.request.idempotencyKey?.isHeaderValue == true)
        machine.answered(second.id, made("s2"), at: Given.moment(40), draw: 0)
        #expect(machine.schedules.items.map(\.scheduleID) == ["s1", "s2"])
        #expect(machine.queue.waiting.isEmpty)
    }

    @Test("The same holds for an app that was killed while it asked")
    func killed() throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(1))
        let first = try machine.next(at: 1)
        var restored = try #require(Snapshot.machine(in: Snapshot.data(of: machine)))
        restored.launched(at: Given.moment(2))
        #expect(try restored.next(at: 2) == first)
    }

    @Test("What has done nothing is said anew, with the time that is left", arguments: [404, 401, 403])
    func nothing(status: Int) throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(0))
        let first = try machine.next(at: 0)
        machine.answered(first.id, DeviceMachine.refusal(status, "NOT_FOUND"), at: Given.moment(0), draw: 0)
        let second = try machine.next(at: 1000)
        #expect(second.request.idempotencyKey != first.request.idempotencyKey)
        #expect(String(decoding: second.request.body ?? Data(), as: UTF8.self).contains(#""offset":2600"#))
    }

    @Test("One that is made much later than it was asked for is taken back alone, and made anew")
    func late() throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(0))
        machine.answered(try machine.next(at: 0).id, .unanswered, at: Given.moment(15), draw: 0)
        machine.answered(try machine.next(at: 900).id, made("s1"), at: Given.moment(900), draw: 0)
        let cancel = try machine.next(at: 900)
        #expect(String(decoding: cancel.request.body ?? Data(), as: UTF8.self).contains(#""schedule_id":"s1""#))
        machine.answered(cancel.id, made(""), at: Given.moment(900), draw: 0)
        let anew = try machine.next(at: 900)
        #expect(String(decoding: anew.request.body ?? Data(), as: UTF8.self).contains(#""offset":2700"#))
        machine.answered(anew.id, made("s2"), at: Given.moment(900), draw: 0)
        #expect(machine.schedules.items.map(\.scheduleID) == ["s2"])
    }

    @Test(
        "When the gateway may have forgotten the key, or has it of another request, all is taken back and scheduled anew",
        arguments: [true, false])
    func uncertain(isReused: Bool) throws {
        var machine = ready()
        _ = machine.scheduled(change("one", in: 9000), at: Given.moment(0))
        machine.sendAll(at: 0, made("s1"))
        _ = machine.scheduled(change("two", in: 9000), at: Given.moment(1))
        let first = try machine.next(at: 1)
        machine.answered(first.id, .unanswered, at: Given.moment(16), draw: 0)
        var time = 3400.0
        if isReused {
            time = 20
            let reused = DeviceMachine.refusal(422, "IDEMPOTENCY_KEY_REUSED")
            machine.answered(try machine.next(at: time).id, reused, at: Given.moment(time), draw: 0)
        }
        #expect(machine.sendAll(at: time) == [])
        #expect(machine.sendAll(at: time + 59) == [])
        let sent = machine.sendAll(at: time + 60, made("s2"))
        #expect(sent == ["POST schedule/cancel", "POST schedule", "POST schedule"])
        #expect(machine.schedules.items.map(\.change.id) == ["one", "two"])
    }

    @Test("One that is taken back while nobody knows whether it was made is asked for, and taken back by its id")
    func cancelledInDoubt() throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(0))
        let first = try machine.next(at: 0)
        machine.answered(first.id, .unanswered, at: Given.moment(15), draw: 0)
        machine.cancelled(Given.order, id: "one", at: Given.moment(16))
        let second = try machine.next(at: 30)
        #expect(second == first)
        machine.answered(second.id, made("s1"), at: Given.moment(30), draw: 0)
        let cancel = try machine.next(at: 30)
        #expect(String(decoding: cancel.request.body ?? Data(), as: UTF8.self).contains(#""schedule_id":"s1""#))
        #expect(machine.schedules.items.isEmpty)
    }

    @Test("One whose answer is lost each time costs sixty requests a day")
    func budget() throws {
        var phone = ScriptedPhone(seed: 1)
        phone.mayBeKilled = false
        phone.rotatesUnderWay = false
        phone.user = Given.ann
        phone.launch()
        phone.shown["Order-1"] = .init(token: Data([1]), external: Given.order, identity: Given.ann)
        for event in phone.found("Order-1") { phone.change { $0.happened(event, at: $1) } }
        var (made, cancelled) = (0, 0)
        phone.barrier = { request in
            if request.path.hasSuffix("/cancel") { cancelled += 1 }
            guard request.path.hasSuffix("/schedule") else { return nil }
            made += 1
            return .unanswered
        }
        phone.change { [change = change("one", in: 604_800)] in _ = $0.scheduled(change, at: $1) }
        phone.pass(86_400)
        print("a schedule without an answer: \(made) requests a day, and \(cancelled) cancellations")
        #expect(made > 20 && made + cancelled < 60)
    }

    @Test("What is opened again before the gateway heard of it is told before what is scheduled for it")
    func openedAgain() {
        var machine = Given.signedIn()
        machine.sendAll(at: 0)
        for id in ["a", "b"] {
            machine.happened(
                .found(FoundLiveActivity(systemID: id, activityType: "Order", externalID: Given.order)),
                at: Given.moment(1))
            if id == "a" {
                _ = machine.scheduled(change("one"), at: Given.moment(1))
                machine.happened(.phase(.ended, systemID: "a"), at: Given.moment(1))
            }
        }
        #expect(machine.sendAll(at: 2, made("s1")) == ["POST sync", "POST schedule"])
    }

    @Test("One that was not sent yet is taken back without a request, one that was by its id")
    func cancelled() throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(1))
        machine.cancelled(Given.order, id: "one", at: Given.moment(1))
        #expect(machine.sendAll(at: 1) == [])
        #expect(machine.schedules.items.isEmpty)
        _ = machine.scheduled(change("two"), at: Given.moment(2))
        let asked = try machine.next(at: 2)
        machine.cancelled(Given.order, id: "two", at: Given.moment(2))
        machine.answered(asked.id, made("s2"), at: Given.moment(2), draw: 0)
        let cancel = try machine.next(at: 2)
        #expect(String(decoding: cancel.request.body ?? Data(), as: UTF8.self).contains(#""schedule_id":"s2""#))
        machine.cancelled(Given.order, id: nil, at: Given.moment(3))
        machine.answered(cancel.id, made(""), at: Given.moment(3), draw: 0)
        #expect(machine.sendAll(at: 3) == ["POST schedule/cancel"])
    }

    @Test("What no gateway takes is refused at once")
    func invalid() {
        var machine = ready()
        for content in [nil, "[]", "{", #"{"a":1} x"#, #"{"a":"\#(String(repeating: "a", count: 4096))"}"#] {
            #expect(machine.scheduled(change("x", content: content), at: Given.moment(0)) == .invalid)
        }
        #expect(machine.scheduled(change("x", in: -1), at: Given.moment(0)) == .invalid)
        #expect(machine.scheduled(change("x", in: 604_801), at: Given.moment(0)) == .invalid)
        #expect(machine.scheduled(change("x", content: nil, event: .end), at: Given.moment(0)) == .queued(id: "x"))
        for number in 1..<20 { _ = machine.scheduled(change("\(number)"), at: Given.moment(0)) }
        #expect(machine.scheduled(change("one-more"), at: Given.moment(0)) == .tooMany)
        machine.sendAll(at: 1, made("s"))
        // An executed schedule makes room.
        #expect(machine.scheduled(change("one-more"), at: Given.moment(3601)) == .queued(id: "one-more"))
    }

    @Test(
        "As many as a user or tenant may have is a refusal of that one alone",
        arguments: ["schedules_per_user", "app_schedules", "app_schedule_bytes_per_user"])
    func quota(_ name: String) {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(0))
        machine.sendAll(at: 0, DeviceMachine.refusal(403, "QUOTA_EXCEEDED", quota: name))
        #expect(machine.schedules.items.isEmpty)
        #expect(machine.deliveryState(at: Given.moment(0)) == .idle)
    }
}
