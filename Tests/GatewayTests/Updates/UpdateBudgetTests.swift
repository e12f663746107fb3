import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("The hourly budget of urgent updates", .serialized)
struct UpdateBudgetTests {
    private static let silent = #"{"content_state":{"n":1}}"#

    private func stage(_ budget: Int, _ body: (TestStage, TestClock) async throws -> Void) async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock, configure: { $0.rules.updateBudget = budget }) {
            try await body($0, clock)
        }
    }

    /// Updates one device and returns the priority of its push.
    private func update(
        _ id: String, _ stage: TestStage, content: String = TestStage.content, more: String = ""
    ) async throws -> String? {
        let answer = try await stage.call("update", TestStage.body(id, content: content, more: more))
        try #require(answer.status == 200 && answer.accepted == 1, "\(answer.text)")
        return stage.pushes(.update).last?.header("apns-priority")
    }

    @Test("An update with an alert has priority 10 while the hour's budget lasts, then 5, and 10 in the next hour")
    func budget() async throws {
        try await stage(3) { stage, clock in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            #expect(try await update(id, stage) == "10")
            // A silent update costs nothing of it.
            #expect(try await update(id, stage, content: Self.silent) == "5")
            for _ in 0..<2 { #expect(try await update(id, stage) == "10") }
            for _ in 0..<2 { #expect(try await update(id, stage) == "5") }
            // An explicit priority applies, and counts.
            #expect(try await update(id, stage, more: #""options":{"priority":10}"#) == "10")
            clock.advance(seconds: 3600)
            #expect(try await update(id, stage, more: #""options":{"priority":10}"#) == "10")
            #expect(try await update(id, stage, more: #""options":{"priority":5}"#) == "5")
            for _ in 0..<2 { #expect(try await update(id, stage) == "10") }
            #expect(try await update(id, stage) == "5")
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            #expect(stage.pushes(.end).last?.header("apns-priority") == "10")
        }
    }

    @Test("An update to a list of devices costs no budget, and has the priority that the budget leaves")
    func lists() async throws {
        try await stage(1) { stage, _ in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<1, id)
            let list = #""target_devices":[\#(TestStage.targets([0]))]"#
            for _ in 0..<3 { #expect(try await update(id, stage, more: list) == "10") }
            #expect(try await update(id, stage) == "10")
            #expect(try await update(id, stage, more: list) == "5")
            #expect(try await update(id, stage) == "5")
        }
    }

    @Test(
        "Without a budget, and where most devices allow frequent pushes, each has priority 10",
        arguments: [false, true])
    func noBudget(isFrequent: Bool) async throws {
        try await stage(isFrequent ? 1 : 0) { stage, _ in
            try await stage.addDevices(3)
            if isFrequent {
                for number in 0..<2 {
                    var phone = TestStage.phone
                    phone.frequentPushes = true
                    try await stage.setup.store.devices.putDevice(
                        phone, TestStage.key(number), tenantID: stage.tenant.tenantID)
                }
            }
            let id = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 3)
            try await stage.syncAll(0..<1, id)
            for _ in 0..<3 { #expect(try await update(id, stage) == "10") }
        }
    }

    @Test("A schedule without a priority has the one that the budget leaves at its time")
    func schedule() async throws {
        try await stage(1) { stage, clock in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            for event in ["update", "update", "end"] {
                let answer = try await stage.call(
                    "schedule", TestStage.body(id, more: #""event":"\#(event)","offset":1"#))
                try #require(answer.status == 200 || answer.status == 201, "\(answer.text)")
                let kind: MockPushEvent = event == "end" ? .end : .update
                let before = stage.pushes(kind).count
                clock.advance(seconds: 2)
                try await stage.eventually { stage.pushes(kind).count > before }
            }
            #expect(stage.pushes(.update).map { $0.header("apns-priority") } == ["10", "5"])
            #expect(stage.pushes(.end).last?.header("apns-priority") == "10")
        }
    }
}
