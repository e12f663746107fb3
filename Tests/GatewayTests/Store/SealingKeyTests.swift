import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import Testing
import TimeCore
import Webhooks

@testable import Gateway

@Suite("A gateway with the wrong sealing key says so", .serialized)
struct SealingKeyTests {
    private static let strange = [UInt8](repeating: 8, count: 32)
    private static let file = "/etc/fanfare/sealing-2027.key"

    private func start(
        _ stage: TestStage, _ key: SealingKeyName, _ log: CapturedLog = CapturedLog()
    ) async throws -> Gateway {
        var options = stage.options
        options.identitySecrets = IdentitySecrets(keyMaterial: Self.strange)
        options.webhooks.policy.secrets = WebhookSecrets(keyMaterial: Self.strange)
        options.sealingKey = key
        options.surveillance.period = .milliseconds(20)
        options.surveillance.periodsForChecks = 1
        return try await Gateway.start(options, logger: log.logger(.notice))
    }

    @Test("A gateway is not ready until sealed secrets open, and its log names the key; other gateways are ready")
    func configured() async throws {
        try await TestStage.run(signatures: .any) { (stage: TestStage) async throws in
            _ = try await stage.addWebhook("https://hooks.example.com/")
            let log = CapturedLog()
            let gateway = try await start(stage, SealingKeyName(file: Self.file, isConfigured: true), log)
            let refused = try await stage.ready(gateway)
            #expect(refused.status == 503 && refused.code == "NOT_READY", "\(refused.text)")
            #expect(refused.names("reasons") == ["sealing_key"])
            #expect(refused.text.contains("1 tenants") && refused.text.contains("1 webhooks"), "\(refused.text)")
            #expect(refused.text.contains("events.former_sealing_key_files") && !refused.text.contains(Self.file))
            let lines = try log.read().filter { $0.metadata["key"] == Self.file }
            #expect(lines.count == 1 && lines.first?.level == "error", "\(lines)")
            #expect(lines.first?.metadata["reason"]?.contains("it is the wrong key") == true, "\(lines)")
            let other = try await stage.ready(stage.gateways[0])
            #expect(other.status == 200 && other.names("warnings").allSatisfy { $0 != "sealing_key" })

            // One secret of several that does not open is a warning, and no fault of the key.
            let store = GatewayStore(
                redis: gateway.store.redis, identity: IdentitySecrets(keyMaterial: Self.strange))
            _ = try await store.tenants.createTenant(name: "other", tier: .growth)
            try await stage.eventually {
                let warned = try await stage.ready(gateway)
                return warned.status == 200 && warned.names("warnings").contains("sealing_key")
            }
            // All of it is sealed anew with the key of this gateway.
            let both = GatewayStore(
                redis: gateway.store.redis,
                identity: IdentitySecrets(keyMaterial: Self.strange, former: [TestStage.sealingKey]))
            #expect(try await both.tenants.sealIdentitySecrets() == 1)
            let secrets = try #require(WebhookSecrets(keyMaterial: Self.strange, former: [TestStage.sealingKey]))
            #expect(try await both.webhooks.sealSecrets(with: secrets) == (1, 0))
            try await stage.eventually {
                try await !stage.ready(gateway).text.contains("sealing_key")
            }
            #expect(try log.read().contains { $0.message == "all secrets can be decrypted again" })
            await gateway.stop()
        }
    }

    @Test("A gateway without a configured key, or with one that it made, warns and serves")
    func unconfigured() async throws {
        try await TestStage.run(signatures: .any) { (stage: TestStage) async throws in
            let gateway = try await start(stage, SealingKeyName(file: "data/webhooks.key", isConfigured: false))
            let answer = try await stage.ready(gateway)
            #expect(answer.status == 200 && answer.names("warnings").contains("sealing_key"), "\(answer.text)")
            #expect(answer.text.contains("that the other gateways and commands use"), "\(answer.text)")
            await gateway.stop()
        }
    }

    @Test("Checks run each second until the first succeeds, then each period, or seldom while all is well")
    func pauses() {
        func pause(_ period: Int, _ hasLooked: Bool, _ isWell: Bool) -> Duration {
            SealingWatch.pause(.seconds(period), hasLooked: hasLooked, isWell: isWell)
        }
        #expect(pause(60, false, false) == .seconds(1))
        #expect(SealingWatch.pause(.milliseconds(20), hasLooked: false, isWell: false) == .milliseconds(20))
        #expect(pause(60, true, false) == .seconds(60))
        #expect(pause(60, true, true) == .seconds(600))
    }

    @Test("An unreadable secret blocks only if the configured key opens none")
    func findings() {
        let configured = SealingKeyName(file: Self.file, isConfigured: true)
        func reason(_ change: (inout SealingFindings) -> Void) -> ReadinessReason? {
            var findings = SealingFindings()
            change(&findings)
            return findings.reason(configured)
        }
        #expect(reason { _ in } == nil)
        #expect(
            reason {
                $0.identity.sealed = 3; $0.webhooks.readable = 1
            } == nil)
        #expect(reason { $0.webhooks.unreadable = 1 }?.isBlocking == true)
        #expect(
            reason {
                $0.webhooks.unreadable = 1; $0.webhooks.readable = 1
            }?.isBlocking == false)
        #expect(
            reason {
                $0.webhooks.unreadable = 1; $0.identity.sealed = 1
            }?.isBlocking == false)
        var findings = SealingFindings()
        findings.webhooks.unreadable = 1
        #expect(findings.reason(.none)?.isBlocking == false)
        #expect(findings.reason(.none)?.text.contains("this gateway has no sealing key") == true)
    }
}
