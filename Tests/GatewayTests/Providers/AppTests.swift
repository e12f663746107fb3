import APNs
import Foundation
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Several apps", .serialized)
struct AppTests {
    /// A gateway that serves the stage's tenant and another tenant's app. The stage's own gateway is stopped, because
    /// it would take jobs as well.
    private struct Place {
        let stage: TestStage
        let gateway: Gateway
        let other: TenantSecrets

        func send(
            _ tenant: TenantSecrets, _ method: String, _ path: String, _ body: String? = nil,
            headers: [String: String] = [:]
        ) async throws -> TestStage.Answer {
            let own = ["X-Api-Key": tenant.apiKey, "Content-Type": "application/json"]
            return try await stage.send(
                method, "/api/v1/live-activity/\(path)", body, headers: own.merging(headers) { $1 }, port: gateway.port)
        }

        /// Starts an activity for devices of a tenant.
        func start(
            _ tenant: TenantSecrets, _ numbers: Range<Int>, headers: [String: String] = [:]
        ) async throws -> TestStage.Answer {
            try await stage.setup.store.devices.importDevices(
                numbers.map { (TestStage.key($0), TestStage.phone, TestStage.startToken($0)) },
                tenantID: tenant.tenantID)
            let body = """
                {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(numbers))],
                 "ends_at":"\(TestStage.endsAt())"}
                """
            let registered = try await send(tenant, "POST", "register", body)
            let id = try #require(registered["activity_id"]?.string, "\(registered.text)")
            return try await send(tenant, "POST", "start", TestStage.body(id), headers: headers)
        }
    }

    /// - Parameters:
    ///   - keyFile: the other app's; nil for the stage's.
    ///   - bundleIdentifier: likewise.
    private func run(
        keyFile: (TestStage) throws -> String? = { _ in nil }, bundleIdentifier: String? = nil,
        _ body: (Place) async throws -> Void
    ) async throws {
        try await TestStage.run(configure: { $0.bearTrouble() }) { stage in
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            await stage.gateways[0].stop()
            var options = stage.options
            options.furtherApps = [
                .init(
                    tenantIDs: [other.tenantID], push: options.push,
                    credential: ProviderCredential(
                        keyFile: try keyFile(stage) ?? stage.mock.keyFile, keyIdentifier: stage.mock.keyID,
                        teamIdentifier: stage.mock.teamID),
                    bundleIdentifier: bundleIdentifier ?? options.bundleIdentifier)
            ]
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            do {
                try await body(Place(stage: stage, gateway: gateway, other: other))
            } catch {
                await gateway.stop()
                throw error
            }
            await gateway.stop()
        }
    }

    /// The connections on which the pushes of both apps came.
    private func connections(_ place: Place) async throws -> (own: Set<Int>, other: Set<Int>) {
        for (number, tenant) in [place.stage.tenant, place.other].enumerated() {
            let start = try await place.start(tenant, number..<(number + 1))
            #expect(start.accepted == 1, "\(start.text)")
        }
        func seen(_ number: Int) -> Set<Int> {
            let token = TestStage.hex(TestStage.startToken(number))
            return Set(place.stage.pushes(.start).filter { $0.token == token }.map(\.connection))
        }
        return (seen(0), seen(1))
    }

    @Test("Apps with one team's key share a connection")
    func shared() async throws {
        try await run { place in
            let (own, other) = try await connections(place)
            #expect(own.count == 1 && own == other)
        }
    }

    @Test("Apps whose keys are configured apart have connections of their own")
    func apart() async throws {
        let copied = { (stage: TestStage) throws in
            let copy = "\(stage.directory)/another.p8"
            try FileManager.default.copyItem(atPath: stage.mock.keyFile, toPath: copy)
            return copy
        }
        try await run(keyFile: copied) { place in
            let (own, other) = try await connections(place)
            #expect(own.count == 1 && other.count == 1 && own.isDisjoint(with: other))
        }
    }

    @Test("An app with a wrong bundle identifier waits, and another app with the same key reaches its devices")
    func wrongBundleIdentifier() async throws {
        try await run(bundleIdentifier: "com.example.wrong") { place in
            let wrong = try await place.start(place.other, 0..<50, headers: ["Prefer": "respond-async"])
            let path = "broadcasts/\(wrong["broadcast_id"]?.string ?? "")"
            try await place.stage.eventually("it is not paused") {
                let seen = try await place.send(place.other, "GET", path)
                return seen["state"]?.string == "paused" && seen["reason"]?.string == "DeviceTokenNotForTopic"
            }
            for round in 1...3 {
                let start = try await place.start(place.stage.tenant, (round * 1000)..<(round * 1000 + 200))
                #expect(start.accepted == 200, "\(start.text)")
            }
            let seen = try await place.send(place.other, "GET", path)
            #expect(["paused", "running"].contains(seen["state"]?.string), "\(seen.text)")
            #expect(seen["accepted"]?.int64 == 0 && seen.failed("DeviceTokenNotForTopic") == 0, "\(seen.text)")
        }
    }
}
