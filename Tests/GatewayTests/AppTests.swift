import APNs
import AsyncHTTPClient
import Foundation
import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import NIOCore
import NIOHTTP1
import PushClient
import RedisServerProcess
import TLS
import TestStore
import Testing
import TimeCore

@Suite("Several apps", .serialized)
struct AppTests {
    /// Starts an activity of the stage's tenant and one of another tenant, whose app has this key, and gives the
    /// connections that each one's pushes came on. The stage's own gateway, which would take jobs as well, is stopped.
    private func connections(_ stage: TestStage, keyFile: String) async throws -> (own: Set<Int>, other: Set<Int>) {
        let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
        await stage.gateways[0].stop()
        let push = PushClientOptions(url: stage.mock.url, trust: .file(stage.mock.caFile))
        func credential(_ keyFile: String) -> ProviderCredential {
            ProviderCredential(
                keyFile: keyFile, keyIdentifier: stage.mock.keyID, teamIdentifier: stage.mock.teamID)
        }
        var options = GatewayOptions(
            redis: stage.redis.endpoint, push: push, credential: credential(stage.mock.keyFile),
            bundleIdentifier: stage.mock.bundleID)
        options.port = 0
        options.furtherApps = [
            .init(
                tenantIDs: [other.tenantID], push: push, credential: credential(keyFile),
                bundleIdentifier: stage.mock.bundleID)
        ]
        let gateway = try await Gateway.start(options, logger: Logger(label: "apps"))
        do {
            for (number, tenant) in [stage.tenant, other].enumerated() {
                try await gateway.store.devices.importDevices(
                    [
                        (
                            key: TestStage.key(number), device: TestStage.phone,
                            token: Optional(TestStage.startToken(number))
                        )
                    ], tenantID: tenant.tenantID)
                let body = """
                    {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(number..<(number + 1)))],
                     "ends_at":"\(TestStage.endsAt())"}
                    """
                let registered = try await call(stage, gateway, tenant, "register", body)
                let id = try #require(registered["activity_id"]?.string)
                let start = try await call(stage, gateway, tenant, "start", TestStage.body(id))
                #expect(start.accepted == 1, "\(start.text)")
            }
        } catch {
            await gateway.stop()
            throw error
        }
        await gateway.stop()
        func seen(_ number: Int) -> Set<Int> {
            let token = TestStage.hex(TestStage.startToken(number))
            return Set(stage.pushes(.start).filter { $0.token == token }.map(\.connection))
        }
        return (seen(0), seen(1))
    }

    private func call(
        _ stage: TestStage, _ gateway: Gateway, _ tenant: TenantSecrets, _ endpoint: String, _ body: String
    ) async throws -> TestStage.Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(gateway.port)/api/v1/live-activity/\(endpoint)")
        request.method = .POST
        request.headers.add(name: "X-Api-Key", value: tenant.apiKey)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await stage.http.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return TestStage.Answer(status: Int(response.status.code), headers: [:], bytes: Array(bytes.readableBytesView))
    }

    @Test("Apps with one team's key share a connection")
    func shared() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            let (own, other) = try await connections(stage, keyFile: stage.mock.keyFile)
            #expect(own.count == 1 && own == other)
        }
    }

    @Test("Apps whose keys are configured apart have connections of their own")
    func apart() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            let copy = "\(stage.directory)/another.p8"
            try FileManager.default.copyItem(atPath: stage.mock.keyFile, toPath: copy)
            let (own, other) = try await connections(stage, keyFile: copy)
            #expect(own.count == 1 && other.count == 1 && own.isDisjoint(with: other))
        }
    }
}
