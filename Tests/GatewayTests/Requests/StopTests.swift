import APNs
import AsyncHTTPClient
import Foundation
import GatewayStore
import LiveActivity
import MockAPNs
import NIOCore
import PushClient
import Reactor
import ScrapedMetrics
import TestStore
import Testing
import TimeCore

@testable import Gateway
@testable import PushClient

@Suite("Stopping with silent clients and providers", .serialized)
struct StopTests {
    private static let apps = 4

    /// The number of providers whose end is awaited now.
    private func closing(_ gateway: Gateway) async -> Int {
        let clients = gateway.providers.clients
        return await clients[0].reactor.call(stopped: 0) { done in
            done(clients.count { $0.closing.map { !$0.isOver } ?? false })
        }
    }

    /// A start of one device of the tenant's, which the gateway takes and carries out when it comes to it.
    private func start(_ stage: TestStage, _ port: Int, _ tenant: TenantSecrets, _ number: Int) async throws {
        let phone = (
            key: TestStage.key(number), device: TestStage.phone, token: Optional(TestStage.startToken(number))
        )
        try await stage.setup.store.devices.importDevices([phone], tenantID: tenant.tenantID)
        func call(_ endpoint: String, _ body: String) async throws -> TestStage.Answer {
            try await stage.send(
                "POST", "/api/v1/live-activity/\(endpoint)", body,
                headers: [
                    "X-Api-Key": tenant.apiKey, "Content-Type": "application/json", "Prefer": "respond-async",
                ], port: port)
        }
        let registered = try await call(
            "register",
            """
            {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(number..<(number + 1)))],
             "ends_at":"\(TestStage.endsAt())"}
            """)
        let id = try #require(registered["activity_id"]?.string, "\(registered.text)")
        let started = try await call("start", TestStage.body(id))
        #expect(started.status == 202, "\(started.text)")
    }

    /// A request whose head and half of whose body a gateway reads, once it has answered another one on the connection.
    private func half(_ request: String, _ tenant: TenantSecrets, _ body: String, _ port: Int) throws -> RawClient {
        let client = try RawClient(port: port)
        client.send(
            """
            GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n\
            \(request) HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(tenant.apiKey)\r\nX-Sdk-Key: \(tenant.sdkKey)\r\n\
            Content-Type: \(request.contains("segments") ? "text/csv" : "application/json")\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(body.count / 2))
            """)
        #expect(client.read(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200") == true)
        return client
    }

    @Test("A body on its way is read to its end; an unfinished one is answered 503, and never 400")
    func bodies() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            var options = stage.options
            options.shutdownTimeout = .seconds(14)
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            let (port, tenant) = (gateway.port, stage.tenant)
            let list = (0..<1000).map { "user-\($0)\n" }.joined()
            let late = [
                ("PUT /api/v1/sdk/device", #"{"insider_id":"w","udid":"p","platform":"ios"}"#),
                ("POST /api/v1/live-activity/register", #"{"activity_type":"Order","insider_ids":["a"]}"#),
                ("PUT /api/v1/segments/late", list),
            ]
            let (flowing, clients) = try await DispatchThread.value { () throws -> (RawClient, [RawClient]) in
                let clients = try late.map { try self.half($0.0, tenant, $0.1, port) }
                return (try self.half("PUT /api/v1/segments/flowing", tenant, list, port), clients)
            }
            // An upload that is not being read by now is not on its way, but new work.
            try await stage.eventually("both uploads are being read") {
                try await stage.metrics(port: port).value("fanfare_share_used", ["resource": "uploads"]) == 2
            }
            let answers = try await DispatchThread.value { () throws -> [String?] in
                let resting = try RawClient(port: port)
                resting.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = resting.read(until: "\r\n\r\n")
                Task { await gateway.stop() }
                // A connection that rests is closed as soon as the server ends.
                #expect(resting.readToEnd() != nil)
                flowing.send(String(list.suffix(list.count - list.count / 2)))
                return ([flowing] + clients).map { $0.readToEnd() }
            }
            #expect(answers[0]?.contains("HTTP/1.1 200") == true, "\(answers[0] ?? "nothing")")
            for (answer, (request, _)) in zip(answers.dropFirst(), late) {
                let text = answer?.lowercased() ?? "nothing"
                #expect(text.contains("http/1.1 503") && text.contains("shutting_down"), "\(request): \(text)")
                #expect(text.contains("\r\nretry-after: 1\r\n"), "\(request): \(text)")
            }
            try await gateway.run()
        }
    }

    @Test("Requests on their way have a quarter of the time for a stop, and two seconds at least")
    func time() {
        for (timeout, expected) in [(1, 2_000), (8, 2_000), (25, 6_250), (30, 7_500)] {
            #expect(GatewayParts.requestTime(of: .seconds(timeout)) == .milliseconds(expected))
        }
    }

    @Test("All providers are awaited at the same time")
    func together() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            stage.mock.setScript(.always(.silence))
            var options = stage.options
            var tenants = [stage.tenant]
            for number in 1..<Self.apps {
                let tenant = try await stage.setup.store.tenants.createTenant(name: "app \(number)", tier: .growth)
                let key = "\(stage.directory)/\(number).p8"
                try FileManager.default.copyItem(atPath: stage.mock.keyFile, toPath: key)
                options.furtherApps.append(
                    .init(
                        tenantIDs: [tenant.tenantID], push: options.push,
                        credential: ProviderCredential(
                            keyFile: key, keyIdentifier: stage.mock.keyID, teamIdentifier: stage.mock.teamID),
                        bundleIdentifier: stage.mock.bundleID))
                tenants.append(tenant)
            }
            // This gateway knows the first app alone, and would take jobs as well.
            await stage.gateways[0].stop()
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            for (number, tenant) in tenants.enumerated() { try await start(stage, gateway.port, tenant, number) }
            // Each provider has a push that it will not answer.
            try await stage.eventually { Set(stage.pushes(.start).map(\.connection)).count == Self.apps }

            let isOver = Locked(false)
            let stopping = Task {
                await gateway.stop()
                isOver.withLock { $0 = true }
            }
            var most = 0
            while most < Self.apps, !isOver.withLock({ $0 }) {
                most = max(most, await closing(gateway))
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(most == Self.apps, "\(most) of \(Self.apps) providers were waited for at a time")
            // No answer can come any more, so the stop need not wait longer.
            stage.mock.stop()
            await stopping.value
        }
    }
}
