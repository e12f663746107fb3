import Encodings
import EventCore
import Gateway
import GatewayStore
import LiveActivity
import RedisClient
import ScrapedMetrics
import TestCertificates
import TestSupport
import Testing
import TimeCore
import Webhooks

@Suite("Tries to deliver an event", .serialized)
struct WebhookAttemptTests {
    @Test("Tries can be read for a day: status, time, how long, the beginning of the answer, and why one failed")
    func read() async throws {
        let clock = TestClock()
        let long = Array("no disk\n\u{1b}[31mé".utf8) + Array(repeating: UInt8(ascii: "x"), count: 400)
        let receiver = try await TestReceiver.start { _, number in
            number == 1 ? .init(status: 500, body: long) : .init(status: 204, body: [])
        }
        try await TestStage.webhooks(clock: clock) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            func attempts(_ query: String = "") async throws -> [JSONValue] {
                let answer = try await stage.customer("GET", "webhooks/\(webhook.id)/attempts\(query)")
                try #require(answer.status == 200, "\(answer.text)")
                return answer.elements("attempts")
            }
            func text(_ value: JSONValue, _ name: String) -> String? { (try? value.member(name))??.string }
            func number(_ value: JSONValue, _ name: String) -> Int64? { (try? value.member(name))??.int64 }
            #expect(try await attempts().isEmpty)
            try await stage.publish(1)
            _ = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 1 }
            clock.advance(seconds: 7)
            _ = try await stage.webhook(webhook.id) { $0.number("delivered") == 1 }
            let all = try await attempts()
            try #require(all.count == 2)
            let (good, bad) = (all[0], all[1])
            #expect(text(bad, "event_id") == "evt_own_1" && text(bad, "type") == "broadcast.finished")
            #expect(number(bad, "attempt") == 1 && number(good, "attempt") == 2)
            #expect(number(bad, "status") == 500 && number(good, "status") == 204)
            #expect(text(bad, "failure") == "answered_5xx" && text(bad, "error") == "answered 500")
            #expect(try bad.member("delivered")?.bool == false && good.member("delivered")?.bool == true)
            #expect(text(good, "failure") == nil && text(good, "error") == nil && text(good, "answer") == nil)
            let answer = try #require(text(bad, "answer"))
            #expect(answer.hasPrefix("no disk  [31méxxx") && answer.utf8.count == 256)
            let times = all.compactMap { text($0, "at").flatMap { WallTime(rfc3339: $0) } }
            #expect(times.count == 2 && times[0] > times[1] && (number(bad, "duration_ms") ?? -1) >= 0)
            #expect(try await attempts("?limit=1").count == 1)
            for wrong in ["0", "201", "x"] {
                let refused = try await stage.customer("GET", "webhooks/\(webhook.id)/attempts?limit=\(wrong)")
                #expect(refused.code == "VALIDATION_FAILED")
            }
            let neighbor = try await Neighbor(stage)
            #expect(try await neighbor.call("GET", "webhooks/\(webhook.id)/attempts", nil).code == "NOT_FOUND")
            let key = "fanfare:{e:\(stage.tenant.tenantID)}:w:\(webhook.id):a"
            #expect(try await stage.redis(RedisCommand("PTTL", key)).int ?? 0 > 86_000_000)
            clock.advance(seconds: 86_397)
            #expect(try await attempts().count == 1)
            clock.advance(seconds: 10)
            #expect(try await attempts().isEmpty)
            #expect(try await stage.customer("DELETE", "webhooks/\(webhook.id)").status == 200)
            #expect(try await stage.redis(RedisCommand("EXISTS", key)).int == 0)
        }
        await receiver.stop()
    }

    @Test(
        "An answer without an end is read for 64 KiB and no longer",
        arguments: Escaped.each(
            [
                ("", "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n", "malformed"),
                ("HTTP/1.1 200 ", "OK and ", "malformed"),
                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "extension", nil),
            ] as [(String, String, String?)]))
    func endless(_ argument: Escaped<(String, String, String?)>) async throws {
        let (opening, piece, failure) = argument.value
        let receiver = try await EndlessReceiver.start(opening: opening, piece: piece)
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url)
            try await stage.publish(1)
            _ = try await stage.webhook(webhook.id) {
                $0.number("failed_attempts") ?? 0 > 0 || $0.number("delivered") == 1
            }
            let answer = try await stage.customer("GET", "webhooks/\(webhook.id)/attempts")
            let attempt = try #require(answer.elements("attempts").last, "\(answer.text)")
            #expect(try attempt.member("failure")?.string == failure, "\(answer.text)")
            let duration = try #require(try attempt.member("duration_ms")?.int64)
            // Without a bound it would be the whole timeout of 15 s.
            #expect(duration < 10_000)
        }
        // The system's buffers hold a part of the answer.
        #expect(receiver.bytes < 32 << 20, "\(receiver.bytes)")
        await receiver.stop()
    }

    @Test("Of a webhook two hundred tries are kept, the newest")
    func bounded() async throws {
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            for number in 0..<205 { try await stage.publish(number) }
            _ = try await stage.webhook(webhook.id) { $0.number("delivered") == 205 }
            let answer = try await stage.customer("GET", "webhooks/\(webhook.id)/attempts")
            #expect(answer.elements("attempts").count == 200)
            let key = "fanfare:{e:\(stage.tenant.tenantID)}:w:\(webhook.id):a"
            #expect(try await stage.redis(RedisCommand("LLEN", key)).int == 200)
            // Hundreds of deliveries, four at a time, and no connection for each.
            #expect(receiver.connectionCount <= 8, "\(receiver.connectionCount)")
        }
        await receiver.stop()
    }

    @Test("A connection that the receiver closes between two deliveries costs none of them a try")
    func closedMeanwhile() async throws {
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            for number in 0..<5 {
                try await stage.publish(number)
                let after = try await stage.webhook(webhook.id) { $0.number("delivered") == number + 1 }
                #expect(after.number("failed_attempts") == 0)
                if number == 1 { await receiver.closeConnections() }
            }
            #expect(receiver.connectionCount == 2)
        }
        await receiver.stop()
    }

    @Test("What a kept connection is cut off for is sent once more on a new one, and only then has it failed")
    func cutOff() async throws {
        let receiver = try await TestReceiver.start { _, number in .init(isCutOff: number == 2) }
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            for number in 0..<2 {
                try await stage.publish(number)
                let after = try await stage.webhook(webhook.id) { $0.number("delivered") == number + 1 }
                #expect(after.number("failed_attempts") == 0)
            }
            #expect(receiver.requests.map(\.id) == ["evt_own_0", "evt_own_1", "evt_own_1"])
            #expect(receiver.connectionCount == 2)
            receiver.setAnswer { _, _ in .init(isCutOff: true) }
            try await stage.publish(2)
            let failed = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 1 }
            #expect(failed["last_error"]?.string == "ended the connection without an answer")
            // On the one that was kept, and on one of its own.
            #expect(receiver.requests.count == 5)
        }
        await receiver.stop()
    }

    @Test("A receiver that asks for its connections to be closed has one for each delivery")
    func notKept() async throws {
        let receiver = try await TestReceiver.start { _, _ in .init(headers: [("Connection", "close")]) }
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            for number in 0..<3 {
                try await stage.publish(number)
                _ = try await stage.webhook(webhook.id) { $0.number("delivered") == number + 1 }
            }
            #expect(receiver.connectionCount == 3)
        }
        await receiver.stop()
    }

    @Test("A receiver of a private authority is reached with events.ca_file, and else told in plain words")
    func authority() async throws {
        let maker = try CertificateMaker()
        let root = try maker.make("root")
        let leaf = try maker.make("leaf", names: "DNS:hooks.example.com", issuer: root)
        let old = try maker.make("old", names: "DNS:hooks.example.com", issuer: root, days: -1)
        let (good, expired) = (try await TestReceiver.start(tls: leaf), try await TestReceiver.start(tls: old))
        let plain = try await TestReceiver.start()
        func run(_ caFile: String?, _ body: (TestStage) async throws -> Void) async throws {
            try await TestStage.webhooks(
                configure: { options in
                    options.webhooks.caFile = caFile
                    options.webhooks.resolve = { _ in [IPAddress("127.0.0.1")].compactMap { $0 } }
                }, body)
        }
        func failure(_ stage: TestStage, _ url: String) async throws -> [String?] {
            let webhook = try await stage.addWebhook(url)
            let sent = try await stage.customer("POST", "webhooks/\(webhook.id)/test")
            #expect(sent.status == 202)
            let failed = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 1 }
            let attempt = try await stage.customer("GET", "webhooks/\(webhook.id)/attempts").elements("attempts").first
            let kind = attempt.flatMap { (try? $0.member("failure"))??.string }
            return [kind, failed["last_error"]?.string]
        }
        let distrusted = "its certificate is not trusted: its authority is unknown, or it is not valid now"
        try await run(nil) { stage in
            #expect(try await failure(stage, "https://hooks.example.com:\(good.port)/") == ["certificate", distrusted])
            let page = try await stage.metrics()
            #expect(page.value("fanfare_webhook_attempts_total", ["result": "certificate"]) == 1)
            #expect(page.value("fanfare_webhook_attempts_total", ["result": "tls"]) == 0)
        }
        try await run(root.certificateFile) { stage in
            let webhook = try await stage.addWebhook("https://hooks.example.com:\(good.port)/")
            try await stage.publish(1)
            _ = try await stage.webhook(webhook.id) { $0.number("delivered") == 1 }
            #expect(try await stage.customer("DELETE", "webhooks/\(webhook.id)").status == 200)
            #expect(
                try await failure(stage, "https://other.example.com:\(good.port)/")
                    == ["certificate", "its certificate is for another name"])
            #expect(
                try await failure(stage, "https://hooks.example.com:\(expired.port)/") == ["certificate", distrusted])
            #expect(
                try await failure(stage, "https://hooks.example.com:\(plain.port)/")
                    == ["tls", "the server does not speak TLS on this port"])
            #expect(
                try await failure(stage, "http://hooks.example.com:\(good.port)/").first
                    == "connection")
        }
        for receiver in [good, expired, plain] { await receiver.stop() }
    }

    @Test("Webhooks that fail are counted until they do not, and events that were given up as well")
    func counted() async throws {
        let clock = TestClock()
        let receiver = try await TestReceiver.start { _, _ in .init(status: 404) }
        try await TestStage.webhooks(clock: clock) { stage in
            _ = try await stage.addWebhook(receiver.url())
            func value(_ name: String, _ labels: [String: String] = [:]) async throws -> Double? {
                try await stage.metrics().value(name, labels)
            }
            #expect(try await value("fanfare_webhooks_failing") == 0)
            #expect(try await value("fanfare_webhook_events_given_up_total") == 0)
            for number in 0..<5 { try await stage.publish(number) }
            try await stage.eventually("it does not count") { try await value("fanfare_webhooks_failing") == 1 }
            #expect(try await value("fanfare_webhook_attempts_total", ["result": "answered_4xx"]) ?? 0 >= 5)
            receiver.setAnswer { _, _ in .init() }
            clock.advance(seconds: 4000)
            try await stage.eventually("it counts on") { try await value("fanfare_webhooks_failing") == 0 }
            #expect(try await value("fanfare_webhook_attempts_total", ["result": "delivered"]) ?? 0 >= 1)
            #expect(try await value("fanfare_webhook_delivery_lag_seconds_count") ?? 0 >= 1)
        }
        await receiver.stop()
    }
}
