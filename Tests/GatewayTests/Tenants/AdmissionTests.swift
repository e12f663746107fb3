import Encodings
import Gateway
import GatewayAPI
import GatewayStore
import HTTPTypes
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

    @Test("A secret of another kind is named by its prefix, and the field that it belongs in")
    func otherKinds() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            func refusal(_ key: String, _ header: String) async throws -> String {
                let path = header == "X-Api-Key" ? "live-activity/start" : "sdk/sync"
                let answer = try await stage.send("POST", "/api/v1/\(path)", "{", headers: [header: key])
                #expect(answer.status == 401)
                return answer["error"]?.string ?? ""
            }
            let (api, sdk) = (stage.tenant.apiKey, stage.tenant.sdkKey)
            let place = "or Authorization: Bearer, has"
            #expect(try await refusal(sdk, "X-Api-Key").contains("\(place) an SDK key: send it in X-Sdk-Key"))
            #expect(try await refusal(api, "X-Sdk-Key").contains("\(place) an API key: send it in X-Api-Key"))
            // The prefix decides, so the answers to an unknown and a known key are equal.
            let (unknown, known) = (try await refusal("ffs_0", "X-Api-Key"), try await refusal(sdk, "X-Api-Key"))
            #expect(unknown == known)
            for (key, words) in [("ffi_0", "an identity secret"), ("ffo_0", "an operator's key")] {
                for header in ["X-Api-Key", "X-Sdk-Key"] {
                    #expect(try await refusal(key, header).contains("\(place) \(words)"))
                }
            }
            for key in ["ffk_0", "ffx_0", "_", ""] {
                #expect(try await refusal(key, "X-Api-Key").hasSuffix("is missing, unknown or revoked"))
            }
        }
    }

    @Test("Either key may be a bearer token, also in a report, and opens nothing of the other kind")
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

    @Test("Below the tier an app opens no activity and schedules nothing; its other reports are accepted")
    func tierOfApps() async throws {
        let clock = TestClock()
        // Each request reads its key anew.
        try await TestStage.run(clock: clock, configure: { $0.api.admissionLifetime = .zero }) { stage in
            try await stage.addDevices(2)
            let id = try await stage.opened(0, "chest")
            let own = try await stage.schedule(id, #""offset":60"#)
            let who = TestStage.key(0).fields
            let chest = "{\(who),\(TestStage.external("chest")),\"offset\":60,\"content_state\":{}}"
            #expect(try await stage.report("POST", "schedule", chest).status == 200)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, tier: .starter)
            for answer in [
                try await stage.open(0, "other"), try await stage.report("POST", "schedule", chest),
                try await stage.report("POST", "schedule", "{"),
            ] {
                #expect(answer.status == 402 && answer.code == "TIER_REQUIRED", "\(answer.text)")
                #expect(answer["required_tier"]?.string == "growth")
            }
            #expect(try await stage.report("PUT", "push-to-start-token", #"{\#(who),"token":"ab"}"#).status == 200)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.report("POST", "schedule/cancel", chest)["canceled"]?.int64 == 1)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, tier: .growth)
            #expect(try await stage.report("POST", "schedule", chest).status == 200)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, tier: .starter)
            clock.advance(seconds: 61)
            try await stage.eventually("the schedules wait") { try await stage.keys("*:a:*:us*").isEmpty }
            try await stage.settled()
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, tier: .growth)
            let failed = try await stage.ended(schedule: own, of: id)
            #expect(failed.text("state") == "failed" && failed.text("reason") == "TIER_REQUIRED")
            #expect(stage.pushes(.update).isEmpty)
        }
    }

    @Test("A disabled tenant gets 403, and its devices a 202")
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

    @Test("The rate admits its exact number of requests over all gateways")
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

    @Test("Identity signatures are required if the tenant demands them; wrong ones are always refused")
    func identity() async throws {
        try await TestStage.run(signatures: .any) { (stage: TestStage) async throws in
            let device = #"""
                {"insider_id":"ann","udid":"d1","platform":"ios","os_version":"18","push_opt_in":true,
                 "gdpr_consent":true,"environment":"production"}
                """#
            #expect(try await stage.report("PUT", "device", device).status == 401)
            let secret = Array(stage.identitySecret.utf8)
            func signed(_ text: String) -> [String: String] {
                ["X-Identity-Signature": Hexadecimal.encode(Digest.hmacSHA256(key: secret, Array(text.utf8)))]
            }
            #expect(try await stage.report("PUT", "device", device, headers: signed("bob")).status == 401)
            #expect(try await stage.report("PUT", "device", device, headers: signed("ann")).status == 200)
        }
    }

    @Test("On every SDK route a signature of version 2 is valid for its device only, until it expires")
    func replays() async throws {
        try await TestStage.run(signatures: .version2) { (stage: TestStage) async throws in
            let device = TestStage.key(0)
            let now = WallTime.now().seconds
            let secret = stage.identitySecret
            let routes = stage.endpoints(.sdkKey)
            #expect(routes.count >= 11)
            let refused: [(headers: [String: String], says: String)] = [
                ([:], "is required"),
                (IdentitySigner.one(device.insiderID, secret), "version 1"),
                (stage.signed(DeviceKey(insiderID: device.insiderID, udid: "another")), "does not match"),
                (stage.signed(DeviceKey(insiderID: "another", udid: device.udid)), "does not match"),
                (stage.signed(DeviceKey(insiderID: device.udid, udid: device.insiderID)), "does not match"),
                (IdentitySigner.two(device, until: now + 3600, "ffi_other"), "does not match"),
                (IdentitySigner.two(device, until: now - 1, secret), "has expired"),
                (IdentitySigner.two(device, until: now + 31 * 86_400, secret), "30 days"),
                (IdentitySigner.header(""), "does not match"),
                (IdentitySigner.header("v2.\(now + 60)."), "does not match"),
                (IdentitySigner.header(String(repeating: "f", count: 20_000)), "does not match"),
                (IdentitySigner.header("v2.\(String(repeating: "9", count: 500)).00"), "does not match"),
                (stage.signed(device).mapValues { "\($0), \($0)" }, "does not match"),
                (stage.signed(device).mapValues { String($0.dropLast()) }, "does not match"),
            ]
            for endpoint in routes {
                let request = EndpointRequest(endpoint, naming: .unknown)
                func ask(_ headers: [String: String]) async throws -> TestStage.Answer {
                    let own = ["X-Sdk-Key": stage.tenant.sdkKey, "Content-Type": "application/json"]
                    return try await stage.send(
                        endpoint.method.rawValue, request.path, request.body, headers: own.merging(headers) { $1 })
                }
                for (headers, words) in refused {
                    let answer = try await ask(headers)
                    #expect(answer.status == 401 && answer.code == "UNAUTHORIZED", "\(request.name): \(answer.text)")
                    #expect(answer["error"]?.string?.contains(words) == true, "\(request.name): \(answer.text)")
                }
                // A signature may be used again, which a phone that repeats a report relies on.
                for _ in 0..<2 {
                    let answer = try await ask(stage.signed(device))
                    #expect(answer.status != 401 && answer.status < 500, "\(request.name): \(answer.text)")
                }
            }
        }
    }

    @Test("Both secrets sign by either version within a rotation's overlap, then the fresh one alone")
    func rotatedSecret() async throws {
        try await TestStage.run(signatures: .any) { (stage: TestStage) async throws in
            let device = TestStage.key(0)
            let tenants = stage.store.tenants
            let old = stage.identitySecret
            func rotate(_ overlap: TimeCore.TimeInterval) async throws -> String {
                let rotation = try await tenants.rotate(.identity, of: stage.tenant.tenantID, overlap: overlap)
                guard case .rotated(let fresh, _) = rotation else { throw Unexpected() }
                return fresh
            }
            func statuses(_ secret: String) async throws -> [Int] {
                let expiry = WallTime.now().seconds + 60
                var statuses: [Int] = []
                for headers in [
                    IdentitySigner.one(device.insiderID, secret), IdentitySigner.two(device, until: expiry, secret),
                ] {
                    // One is answered by the router, which asks the store each time.
                    let query = "topics?insider_id=\(device.insiderID)&udid=\(device.udid)"
                    let own = ["X-Sdk-Key": stage.tenant.sdkKey].merging(headers) { $1 }
                    statuses.append(try await stage.send("GET", "/api/v1/sdk/\(query)", nil, headers: own).status)
                }
                return statuses
            }
            #expect(try await statuses(old) == [200, 200])
            let fresh = try await rotate(.seconds(600))
            #expect(try await statuses(old) == [200, 200])
            #expect(try await statuses(fresh) == [200, 200])
            // A second rotation within the overlap of the first, which holds as it was promised.
            let newest = try await rotate(.seconds(900))
            for secret in [old, fresh, newest] { #expect(try await statuses(secret) == [200, 200]) }
            let last = try await rotate(.zero)
            for secret in [old, fresh, newest] { #expect(try await statuses(secret) == [401, 401]) }
            #expect(try await statuses(last) == [200, 200])
            // A changed demand applies at once to the routes of the router.
            #expect(try await tenants.setTenant(stage.tenant.tenantID, signatures: .version2))
            #expect(try await statuses(last) == [401, 200])
        }
    }

    private struct Unexpected: Error {}

    @Test("A gateway without the sealing key of the secret answers signatures with 503, not as wrong ones")
    func strangeKey() async throws {
        try await TestStage.run(
            signatures: .any,
            configure: { $0.identitySecrets = IdentitySecrets(keyMaterial: [UInt8](repeating: 8, count: 32)) }
        ) { (stage: TestStage) async throws in
            let device = TestStage.key(0)
            for (method, endpoint) in [("PUT", "push-to-start-token"), ("POST", "dismissed")] {
                let body = """
                    {\(device.fields),"token":"abcd","activity_type":"T",
                     "system_activity_id":"none"}
                    """
                let answer = try await stage.report(method, endpoint, body, headers: stage.signed(device))
                #expect(answer.status == 503 && answer.code == "STORE_UNAVAILABLE", "\(answer.text)")
                #expect(answer.headers["retry-after"] != nil && answer.text.contains("events.sealing_key_file"))
                #expect(try await stage.report(method, endpoint, body).status == 401)
            }
        }
    }
}
