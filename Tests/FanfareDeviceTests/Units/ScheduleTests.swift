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

    @Test("After a lost answer all is taken back once that cannot arrive any more, and scheduled anew")
    func uncertain() throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(0))
        machine.sendAll(at: 0, made("s1"))
        _ = machine.scheduled(change("two"), at: Given.moment(1))
        machine.answered(try machine.next(at: 1).id, .unanswered, at: Given.moment(16), draw: 0)
        #expect(machine.sendAll(at: 75) == [])
        #expect(machine.sendAll(at: 76, made("s2")) == ["POST schedule/cancel", "POST schedule", "POST schedule"])
        #expect(machine.schedules.items.map(\.change.id) == ["one", "two"])
    }

    @Test("The same holds for an app that was killed while it asked")
    func killed() throws {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(1))
        _ = try machine.next(at: 1)
        var restored = try #require(Snapshot.machine(in: Snapshot.data(of: machine)))
        restored.launched(at: Given.moment(2))
        #expect(restored.sendAll(at: 2) == [])
        #expect(restored.sendAll(at: 62, made("s1")) == ["POST schedule/cancel", "POST schedule"])
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
        // What was carried out makes room.
        #expect(machine.scheduled(change("one-more"), at: Given.moment(3601)) == .queued(id: "one-more"))
    }

    @Test("As many as a user may have is a refusal of that one alone")
    func quota() {
        var machine = ready()
        _ = machine.scheduled(change("one"), at: Given.moment(0))
        machine.sendAll(at: 0, DeviceMachine.refusal(403, "QUOTA_EXCEEDED", quota: "schedules_per_user"))
        #expect(machine.schedules.items.isEmpty)
        #expect(machine.deliveryState(at: Given.moment(0)) == .idle)
    }
}
