import Encodings
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Secrets
import Testing
import TimeCore

@Suite("Keys, tiers and rates", .serialized)
struct AdmissionTests {
    @Test("A missing, unknown, foreign or revoked key gets 401")
    func unauthorized() async throws {
        try await TestStage.run { stage in
            for key in ["", "ffk_unknown", stage.tenant.sdkKey] {
                let answer = try await stage.call("start", #"{"a":1}"#, headers: ["X-Api-Key": key])
                #expect(answer.status == 401 && answer.code == "UNAUTHORIZED")
            }
            let none = ["Content-Type": "application/json"]
            #expect(try await stage.send("POST", "/api/v1/live-activity/start", "{", headers: none).status == 401)
            #expect(try await stage.send("POST", "/api/v1/sdk/sync", "{", headers: none).status == 401)
            let apiKey = ["X-Sdk-Key": stage.tenant.apiKey]
            #expect(try await stage.report("POST", "sync", "{", headers: apiKey).status == 401)
            #expect(try await stage.call("start", "{").code == "BAD_REQUEST")
            let rotated = try await stage.store.tenants.freshKey(.api, of: stage.tenant.tenantID)
            #expect(try await stage.call("start", "{").code == "UNAUTHORIZED")
            let fresh = ["X-Api-Key": try #require(rotated)]
            #expect(try await stage.call("start", "{", headers: fresh).code == "BAD_REQUEST")
        }
    }

    @Test("Either key may come as a bearer's, also in a report, and opens nothing of the other kind")
    func bearers() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            func status(_ method: String, _ path: String, _ key: String) async throws -> Int {
                let headers = ["Authorization": "Bearer \(key)", "Content-Type": "application/json"]
                return try await stage.send(method, "/api/v1/\(path)", #"{"a":1}"#, headers: headers).status
            }
            let (apiKey, sdkKey) = (stage.tenant.apiKey, stage.tenant.sdkKey)
            for (method, path) in [("POST", "live-activity/start"), ("POST", "webhooks")] {
                #expect(try await status(method, path, apiKey) == 400)
                #expect(try await status(method, path, sdkKey) == 401)
            }
            // The first two are answered ahead of the router.
            for (method, path) in [("POST", "sdk/sync"), ("PUT", "sdk/device"), ("POST", "sdk/tap")] {
                #expect(try await status(method, path, sdkKey) == 400)
                #expect(try await status(method, path, apiKey) == 401)
            }
        }
    }

    @Test("A tier that is too low gets 402 with the tier that is needed")
    func tier() async throws {
        try await TestStage.run(tier: .starter) { stage in
            let answer = try await stage.call("register", #"{"a":1}"#)
            #expect(answer.status == 402 && answer.code == "TIER_REQUIRED")
            #expect(answer["required_tier"]?.string == "growth")
        }
    }

    @Test("A tenant that is switched off gets 403, and its devices a silent 202")
    func disabled() async throws {
        try await TestStage.run { stage in
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: false)
            let answer = try await stage.call("register", "{")
            #expect(answer.status == 403 && answer.code == "LIVE_ACTIVITY_DISABLED")
            #expect(try await stage.report("POST", "sync", "{").status == 202)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: true)
            #expect(try await stage.call("register", "{").code == "BAD_REQUEST")
        }
    }

    @Test("1,000 requests a minute over two gateways together, then 429, with the headers")
    func rateLimit() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.api.requestsPerMinute = 1000 }) { stage in
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for number in 0..<1100 {
                    group.addTask { try await stage.call("start", "{", gateway: number % 2) }
                    if number >= 64 { _ = try await group.next() }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(!answers.isEmpty)
            // All of this takes far less than a minute, so exactly the first 1,000 were let in.
            let next = try await stage.call("start", "{")
            #expect(next.status == 429 && next.code == "RATE_LIMITED")
            #expect(next.headers["x-ratelimit-limit"] == "1000")
            #expect(next.headers["x-ratelimit-remaining"] == "0")
            #expect(Int64(next.headers["x-ratelimit-reset"] ?? "") ?? 0 > WallTime.now().seconds - 1)
            let wait = try #require(next.headers["retry-after"].flatMap { Int($0) })
            #expect((1...60).contains(wait))
            #expect(next["retry_after"]?.int64 == Int64(wait))
        }
    }

    @Test("Exactly as many requests are let in as the rate allows, whichever gateway they come to")
    func exactRate() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.api.requestsPerMinute = 50 }) { stage in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<120 {
                    group.addTask { try await stage.call("start", "{", gateway: number % 2).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 400 } == 50)
            #expect(statuses.count { $0 == 429 } == 70)
        }
    }

    @Test("Identity signatures: needed where the tenant says so, wrong ones refused everywhere")
    func identity() async throws {
        try await TestStage.run(requiresIdentitySignature: true) { (stage: TestStage) async throws in
            let device = #"""
                {"insider_id":"ann","udid":"d1","platform":"ios","os_version":"18","push_opt_in":true,
                 "gdpr_consent":true,"environment":"production"}
                """#
            #expect(try await stage.report("PUT", "device", device).status == 401)
            let secret = Array(stage.tenant.identitySecret.utf8)
            func signed(_ text: String) -> [String: String] {
                ["X-Identity-Signature": Hexadecimal.encode(Digest.hmacSHA256(key: secret, Array(text.utf8)))]
            }
            #expect(try await stage.report("PUT", "device", device, headers: signed("bob")).status == 401)
            #expect(try await stage.report("PUT", "device", device, headers: signed("ann")).status == 200)
        }
    }
}
