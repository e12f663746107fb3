import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("A phone with several logins", .serialized)
struct OnePhoneTests {
    /// Registers both logins and a third phone, and starts. Gives the logins that the phone was started for.
    private func start(
        _ stage: TestStage, eligible: Int, between: () async throws -> Void = {}
    ) async throws -> [String] {
        let body = """
            {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<3))],
             "ends_at":"\(stage.endsAt())"}
            """
        let registered = try await stage.call("register", body)
        #expect(registered["registered_devices"]?.int64 == Int64(eligible), "\(registered.text)")
        #expect(registered.skipped("no_push_to_start_token") == 3 - eligible)
        let id = try #require(registered["activity_id"]?.string)
        try await between()
        let token = TestStage.hex(TestStage.sharedToken)
        let before = stage.pushes(.start).count { $0.token == token }
        let started = try await stage.call("start", TestStage.body(id))
        #expect(started.accepted == 2 && started.skipped("no_push_to_start_token") == 1, "\(started.text)")
        #expect(stage.pushes(.start).count { $0.token == token } == before + 1)
        let listed = try await stage.read("/api/v1/live-activity/\(id)/devices")
        return (0..<2).map(TestStage.key).filter {
            listed.text.contains(#"\#($0.fields),"state":"pending""#)
        }.map(\.insiderID)
    }

    private static func login(_ number: Int) -> [String] { [TestStage.key(number).insiderID] }

    @Test("Gets one start, under the login that reported its token last, whichever gateway it reported to")
    func oneStart() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(3)
            try await stage.logIn(0)
            try await stage.logIn(1, gateway: 1)
            #expect(try await start(stage, eligible: 2) == Self.login(1))
            // Back again, and again.
            try await stage.logIn(0, gateway: 1)
            try await stage.logIn(0)
            #expect(try await start(stage, eligible: 2) == Self.login(0))
        }
    }

    @Test("Gets one start as well when it changes hands between register and start, and back")
    func changeOfHands() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(3)
            try await stage.logIn(0)
            try await stage.logIn(1)
            let first = try await start(stage, eligible: 2) { try await stage.logIn(0, gateway: 1) }
            #expect(first == Self.login(0))
            let second = try await start(stage, eligible: 2) {
                for number in [1, 0, 1] { try await stage.logIn(number, gateway: number) }
            }
            #expect(second == Self.login(1))
        }
    }

    @Test("An import gives a token to the last record that has it")
    func imported() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            try await stage.store.devices.importDevices(
                [1, 0].map { (TestStage.key($0), TestStage.phone, TestStage.sharedToken) },
                tenantID: stage.tenant.tenantID)
            #expect(try await start(stage, eligible: 2) == Self.login(0))
        }
    }
}
