import EventCore
import Gateway
import GatewayStore
import LiveActivity
import RedisClient
import Testing
import TimeCore
import Webhooks

@Suite("Webhooks and their dead letters", .serialized)
struct WebhookTests {
    @Test("What was not delivered for a day is a dead letter, which can be listed and sent again")
    func deadLetters() async throws {
        let clock = TestClock()
        let receiver = try await TestReceiver.start { _, _ in .init(status: 503) }
        try await TestStage.webhooks(clock: clock) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            for number in 1...7 { try await stage.publish(number) }
            _ = try await stage.webhook(webhook.id) { ($0.number("failures_in_a_row") ?? 0) >= 5 }
            for _ in 0..<30 {
                clock.advance(seconds: 3600)
                try await Task.sleep(for: .milliseconds(150))
            }
            let dead = try await stage.webhook(webhook.id) { $0.number("dead_letters") == 7 }
            #expect(dead.number("pending") == 0)
            let first = try await stage.customer("GET", "webhooks/\(webhook.id)/dead-letters?limit=4")
            let cursor = try #require(first["cursor"]?.string)
            let second = try await stage.customer("GET", "webhooks/\(webhook.id)/dead-letters?limit=4&cursor=\(cursor)")
            #expect(second["cursor"] == nil)
            let letters = first.elements("dead_letters") + second.elements("dead_letters")
            let ids = letters.compactMap { SeenEvent($0)?.id }
            #expect(Set(ids) == Set((1...7).map { "evt_own_\($0)" }) && ids.count == 7)
            #expect(try letters.contains { try $0.member("last_error")?.string == "answered 503" })
            #expect(try letters.contains { try ($0.member("attempts")?.int64 ?? 0) > 1 })
            #expect(try letters.allSatisfy { try $0.member("died_at")?.string != nil })
            receiver.setAnswer { _, _ in .init() }
            let some = try await stage.customer(
                "POST", "webhooks/\(webhook.id)/dead-letters/resend", #"{"ids":["evt_own_3","evt_none"]}"#)
            #expect(some.number("resent") == 1, "\(some.text)")
            // Longer than the pause between probes.
            clock.advance(seconds: 3600)
            _ = try await stage.webhook(webhook.id) { $0.number("delivered") == 1 && $0.number("dead_letters") == 6 }
            let all = try await stage.customer(
                "POST", "webhooks/\(webhook.id)/dead-letters/resend", #"{"all":true}"#)
            #expect(all.number("resent") == 6)
            _ = try await stage.webhook(webhook.id) { $0.number("delivered") == 7 && $0.number("dead_letters") == 0 }
            #expect(receiver.requests.suffix(7).allSatisfy { !$0.body.isEmpty })
            for body in [#"{"all":false}"#, #"{"ids":[]}"#, #"{"ids":["a"],"all":true}"#, #"{"ids":[1]}"#] {
                let answer = try await stage.customer("POST", "webhooks/\(webhook.id)/dead-letters/resend", body)
                #expect(answer.status == 400, "\(body)")
            }
            for query in ["limit=0", "limit=201", "cursor=x", "cursor=-1"] {
                let answer = try await stage.customer("GET", "webhooks/\(webhook.id)/dead-letters?\(query)")
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(query)")
            }
        }
        await receiver.stop()
    }

    @Test("For a day after a rotation both secrets sign, then only the new one")
    func rotation() async throws {
        let clock = TestClock()
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks(clock: clock) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            let rotated = try await stage.customer("POST", "webhooks/\(webhook.id)/rotate-secret")
            let secret = try #require(rotated["secret"]?.string)
            #expect(secret != webhook.secret && rotated["old_secret_until"]?.string != nil)
            try await stage.publish(1)
            let both = try await receiver.requests { $0.count == 1 }[0]
            #expect(both.headers["webhook-signature"]?.split(separator: " ").count == 2)
            #expect(try await both.isSigned(by: webhook.secret))
            #expect(try await both.isSigned(by: secret))
            clock.advance(seconds: 24 * 3600 + 1)
            try await stage.publish(2)
            let one = try await receiver.requests { $0.count == 2 }[1]
            #expect(one.headers["webhook-signature"]?.split(separator: " ").count == 1)
            #expect(try await one.isSigned(by: secret))
            #expect(try await !one.isSigned(by: webhook.secret))
            #expect(try await stage.customer("GET", "webhooks/\(webhook.id)")["old_secret_until"] == nil)
        }
        await receiver.stop()
    }

    @Test("Of several rotations each keeps the overlap that it promised, the newest ten, and all are sealed anew")
    func rotations() async throws {
        let clock = TestClock()
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks(clock: clock) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            var secrets = [webhook.secret]
            for _ in 0..<3 {
                clock.advance(seconds: 3600)
                let rotated = try await stage.customer("POST", "webhooks/\(webhook.id)/rotate-secret")
                secrets.append(try #require(rotated["secret"]?.string))
            }
            func signers(_ number: Int) async throws -> [Bool] {
                try await stage.publish(number)
                let request = try await receiver.requests { $0.count == number }[number - 1]
                var signers: [Bool] = []
                for secret in secrets { signers.append(try await request.isSigned(by: secret)) }
                return signers
            }
            #expect(try await signers(1) == [true, true, true, true])
            // The first older secret ends a day after its rotation, the second one an hour later.
            clock.advance(seconds: 22 * 3600 + 1)
            #expect(try await signers(2) == [false, true, true, true])
            clock.advance(seconds: 3600)
            #expect(try await signers(3) == [false, false, true, true])
            let (store, tenant) = (stage.store.webhooks, stage.tenant.tenantID)
            let next = try #require(
                WebhookSecrets(keyMaterial: [UInt8](repeating: 8, count: 32), former: [TestStage.sealingKey]))
            let before = try #require(try await store.webhook(webhook.id, of: tenant))
            #expect(before.olderSecrets.count == 2 && before.secrets(at: stage.store.wallClock()).count == 2)
            #expect(try await store.sealSecrets(with: next) == (1, 0))
            let alone = try #require(WebhookSecrets(keyMaterial: [UInt8](repeating: 8, count: 32)))
            let sealed = try #require(try await store.webhook(webhook.id, of: tenant))
            let opened = (sealed.olderSecrets.map(\.sealed) + [sealed.oldSecret ?? [], sealed.secret]).map {
                alone.text(of: $0, tenantID: tenant, webhook: webhook.id)
            }
            #expect(opened == secrets)
            for _ in 0..<12 {
                #expect(try await stage.customer("POST", "webhooks/\(webhook.id)/rotate-secret").status == 200)
            }
            let many = try #require(try await store.webhook(webhook.id, of: tenant))
            #expect(many.secrets(at: stage.store.wallClock()).count == 11)
        }
        await receiver.stop()
    }

    @Test("Secrets do not stand in Redis")
    func sealed() async throws {
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook("https://hooks.example.com/")
            let key = "fanfare:{e:\(stage.tenant.tenantID)}:w:\(webhook.id)"
            let stored = try await stage.redis(RedisCommand("HGET", key, "secret")).bytes ?? []
            #expect(stored.count == 32 + 29)
            let plain = webhook.secret.dropFirst(6)
            #expect(!String(decoding: stored, as: UTF8.self).contains(plain))
        }
    }

    @Test("After its sealing key was lost a webhook with a new secret delivers at once, and nothing is amiss with it")
    func lostKey() async throws {
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            let tenant = stage.tenant.tenantID
            let key = "fanfare:{e:\(tenant)}:w:\(webhook.id)"
            // A secret that was sealed with a lost key.
            let lost = [UInt8](repeating: 9, count: 61)
            _ = try await stage.redis(RedisCommand("HSET", key, "secret", lost))
            let secrets = try #require(WebhookSecrets(keyMaterial: TestStage.sealingKey))
            let store = stage.store.webhooks
            #expect(try await store.sealing(with: secrets).unreadable == 1)
            #expect(try await store.sealSecrets(with: secrets) == (0, 1))
            let rotated = try await stage.customer("POST", "webhooks/\(webhook.id)/rotate-secret")
            let secret = try #require(rotated["secret"]?.string, "\(rotated.text)")
            #expect(try await store.webhook(webhook.id, of: tenant)?.oldSecret == lost)
            try await stage.publish(1)
            let delivery = try await receiver.requests { $0.count == 1 }[0]
            #expect(delivery.headers["webhook-signature"]?.split(separator: " ").count == 1)
            #expect(try await delivery.isSigned(by: secret))
            let sealing = try await store.sealing(with: secrets)
            #expect(sealing.unreadable == 0 && sealing.readable == 1)
            #expect(try await store.sealSecrets(with: secrets) == (0, 0))
        }
        await receiver.stop()
    }

    @Test("While the sealing key is replaced both secrets of a webhook open, and are sealed anew with the present one")
    func sealedAnew() async throws {
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook("https://hooks.example.com/")
            let rotated = try await stage.customer("POST", "webhooks/\(webhook.id)/rotate-secret")
            let secrets = [try #require(rotated["secret"]?.string), webhook.secret]
            let (store, tenant) = (stage.store.webhooks, stage.tenant.tenantID)
            let material = [UInt8](repeating: 8, count: 32)
            let next = try #require(WebhookSecrets(keyMaterial: material))
            let both = try #require(WebhookSecrets(keyMaterial: material, former: [TestStage.sealingKey]))
            func texts(_ key: WebhookSecrets) async throws -> [String?] {
                let stored = try #require(try await store.webhook(webhook.id, of: tenant))
                return [stored.secret, try #require(stored.oldSecret)].map {
                    key.text(of: $0, tenantID: tenant, webhook: webhook.id)
                }
            }
            #expect(try await texts(next) == [nil, nil])
            #expect(try await store.sealSecrets(with: next) == (0, 1))
            #expect(try await texts(both) == secrets)
            #expect(try await store.sealSecrets(with: both) == (1, 0))
            #expect(try await texts(next) == secrets)
            #expect(try await store.sealSecrets(with: both) == (0, 0))
        }
    }

    @Test("A receiver that answers 410 is switched off; switched on again it gets what waited")
    func gone() async throws {
        let receiver = try await TestReceiver.start { _, _ in .init(status: 410) }
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            try await stage.publish(1)
            let off = try await stage.webhook(webhook.id) { $0["enabled"]?.bool == false }
            #expect(off["disabled_reason"]?.string == "the receiver answered 410" && off.number("dead_letters") == 1)
            try await stage.publish(2)
            let refused = try await stage.customer("POST", "webhooks/\(webhook.id)/test")
            #expect(refused.status == 409 && refused.code == "WEBHOOK_DISABLED")
            receiver.setAnswer { _, _ in .init() }
            let on = try await stage.customer("PATCH", "webhooks/\(webhook.id)", #"{"enabled":true}"#)
            #expect(on["enabled"]?.bool == true && on["disabled_reason"] == nil)
            _ = try await stage.customer("POST", "webhooks/\(webhook.id)/dead-letters/resend", #"{"all":true}"#)
            try await stage.publish(3)
            let requests = try await receiver.requests { $0.count == 3 }
            #expect(Set(requests.dropFirst().map(\.id)) == ["evt_own_1", "evt_own_3"])
        }
        await receiver.stop()
    }

    @Test("A test event goes to the webhook that it is asked for, and nowhere else")
    func testEvent() async throws {
        let (one, other) = (try await TestReceiver.start(), try await TestReceiver.start())
        try await TestStage.webhooks { stage in
            try await stage.switchStreamOn()
            let webhook = try await stage.addWebhook(one.url(), types: #""activity.expired""#)
            _ = try await stage.addWebhook(other.url())
            let answer = try await stage.customer("POST", "webhooks/\(webhook.id)/test")
            #expect(answer.status == 202)
            let requests = try await one.requests { $0.count == 1 }
            #expect(requests[0].id == answer["event_id"]?.string && requests[0].event?.type == "webhook.test")
            #expect(try await stage.events().isEmpty && other.requests.isEmpty)
        }
        for receiver in [one, other] { await receiver.stop() }
    }

    @Test("Queues are bounded: what comes beyond is given up, and of what is given up the oldest goes")
    func bounds() async throws {
        try await TestStage.webhooks(configure: { options in
            options.rules.events.pending = 5
            options.rules.events.deadLetters = 3
        }) { stage in
            let webhook = try await stage.addWebhook("https://hooks.example.com/")
            // A lease of another gateway prevents deliveries.
            let lease = "fanfare:{e:\(stage.tenant.tenantID)}:lease"
            _ = try await stage.redis(RedisCommand("SET", lease, "other", "PX", 60_000))
            let before = try await stage.webhook(webhook.id) { _ in true }.number("failed_attempts")
            for number in 11...20 { try await stage.publish(number) }
            let full = try await stage.customer("GET", "webhooks/\(webhook.id)")
            #expect(full.number("pending") == 5 && full.number("dead_letters") == 3 && full.number("dropped") == 2)
            #expect(full.number("failed_attempts") == before)
            let letters = try await stage.customer("GET", "webhooks/\(webhook.id)/dead-letters")
            #expect(
                letters.elements("dead_letters").compactMap { SeenEvent($0)?.id } == (18...20).map { "evt_own_\($0)" })
            let deleted = try await stage.customer("DELETE", "webhooks/\(webhook.id)")
            #expect(deleted.status == 200)
            #expect(try await stage.customer("DELETE", "webhooks/\(webhook.id)").status == 404)
            // Only the ids of the events remain for a while.
            let keys = try await stage.keys("fanfare:{e:*").filter { !$0.hasSuffix(":lease") && !$0.contains(":v:") }
            #expect(keys == ["fanfare:{e:\(stage.tenant.tenantID)}:on"])
            for key in try await stage.keys("fanfare:{e:*:v:*") {
                #expect(try await stage.redis(RedisCommand("HLEN", key)).int == 1)
            }
            #expect(try await !stage.store.events.recordsEvents(stage.tenant.tenantID))
        }
    }

    @Test("A tenant has ten webhooks at most, and sees only its own")
    func tenants() async throws {
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook("https://hooks.example.com/0")
            for number in 1..<10 { _ = try await stage.addWebhook("https://hooks.example.com/\(number)") }
            let more = try await stage.customer("POST", "webhooks", #"{"url":"https://hooks.example.com/"}"#)
            #expect(more.status == 409 && more.code == "TOO_MANY_WEBHOOKS")
            let list = try await stage.customer("GET", "webhooks")
            #expect(list.elements("webhooks").count == 10)
            #expect(list.elements("webhooks").allSatisfy { ((try? $0.member("secret")) ?? nil) == nil })
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            #expect(try await stage.customer("GET", "webhooks", key: other.apiKey).elements("webhooks").isEmpty)
            for (method, path, body) in [
                ("GET", "", nil), ("PATCH", "", #"{"enabled":false}"#), ("DELETE", "", nil), ("POST", "/test", nil),
                ("POST", "/rotate-secret", nil), ("GET", "/dead-letters", nil),
                ("POST", "/dead-letters/resend", #"{"all":true}"#),
            ] {
                for id in [webhook.id, "nothing", UniqueID.random().description] {
                    let answer = try await stage.customer(method, "webhooks/\(id)\(path)", body, key: other.apiKey)
                    #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(method) \(path) \(answer.text)")
                }
            }
            #expect(try await stage.customer("GET", "webhooks/\(webhook.id)").status == 200)
        }
    }

    @Test(
        "URLs that events may not go to are refused when the webhook is made and when it is changed",
        arguments: [
            "http://hooks.example.com/", "https://127.0.0.1/", "https://10.1.2.3/", "https://[::1]/",
            "https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest", "https://localhost/",
            "https://2130706433/",
            "https://0x7f.1/", "https://u:p@hooks.example.com/", "https://hooks.example.com:22/", "nonsense", "",
        ])
    func urls(url: String) async throws {
        try await TestStage.run { stage in
            let webhook = try await stage.addWebhook("https://hooks.example.com/")
            for (method, path) in [("POST", "webhooks"), ("PATCH", "webhooks/\(webhook.id)")] {
                let answer = try await stage.customer(method, path, #"{"url":"\#(url)"}"#)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(method) \(answer.text)")
            }
        }
    }

    @Test("Fields of the wrong kind are refused")
    func fields() async throws {
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook("https://hooks.example.com/")
            for body in [
                #"{"url":1}"#, #"{"types":["broadcast.finished"]}"#, #"{"url":"https://a.b/","types":[]}"#,
                #"{"url":"https://a.b/","types":["webhook.test"]}"#, #"{"url":"https://a.b/","types":"all"}"#,
            ] {
                let answer = try await stage.customer("POST", "webhooks", body)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(body) \(answer.text)")
            }
            for body in [#"{"enabled":1}"#, #"{"other":1}"#, #"{"types":[3]}"#] {
                let answer = try await stage.customer("PATCH", "webhooks/\(webhook.id)", body)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(body) \(answer.text)")
            }
        }
    }

    @Test("Without a key for the secrets no webhook is made, and the reply says what is missing")
    func noKey() async throws {
        try await TestStage.run(configure: { $0.webhooks.policy.secrets = nil }) { stage in
            let answer = try await stage.customer("POST", "webhooks", #"{"url":"https://hooks.example.com/"}"#)
            #expect(answer.status == 501 && answer.code == "WEBHOOKS_NOT_CONFIGURED")
            #expect(answer.text.contains("events.sealing_key_file"))
        }
    }
}
