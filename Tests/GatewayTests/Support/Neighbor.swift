import Gateway
import GatewayStore
import LiveActivity
import Testing

/// Another tenant with one phone, which wants no more than its own.
struct Neighbor {
    let stage: TestStage
    let secrets: TenantSecrets

    private static let device = 900_000

    init(_ stage: TestStage) async throws {
        self.stage = stage
        secrets = try await stage.store.tenants.createTenant(name: "neighbor", tier: .growth)
        try await stage.store.devices.importDevices(
            [(key: TestStage.key(Self.device), device: TestStage.phone, token: TestStage.startToken(Self.device))],
            tenantID: secrets.tenantID)
    }

    /// A call as a customer.
    func call(
        _ method: String, _ path: String, _ body: String?, headers: [String: String] = [:], gateway: Int = 0
    ) async throws -> TestStage.Answer {
        let own = ["X-Api-Key": secrets.apiKey, "Content-Type": "application/json"]
        return try await stage.send(
            method, "/api/v1/\(path)", body, headers: own.merging(headers) { $1 }, gateway: gateway)
    }

    /// Registers an activity for the phone and begins to start it.
    func start(gateway: Int = 0) async throws -> TestStage.Answer {
        let list = TestStage.list(Self.device..<(Self.device + 1))
        let registered = try await call(
            "POST", "live-activity/register",
            #"{"activity_type":"\#(TestStage.type)","insider_ids":[\#(list)],"ends_at":"\#(stage.endsAt())"}"#,
            gateway: gateway)
        let id = try #require(registered["activity_id"]?.string, "\(registered.text)")
        return try await call(
            "POST", "live-activity/start", TestStage.body(id), headers: ["Prefer": "respond-async"], gateway: gateway)
    }
}
