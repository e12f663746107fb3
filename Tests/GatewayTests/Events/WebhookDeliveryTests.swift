import Encodings
import EventCore
import Gateway
import GatewayStore
import LiveActivity
import RedisClient
import ScrapedMetrics
import Synchronization
import Testing
import TimeCore
import Webhooks

@Suite("Delivery of events to webhooks", .serialized)
struct WebhookDeliveryTests {
    @Test("Every event of a start comes once, signed as the receiver can verify with another library")
    func signed() async throws {
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url(path: "/hook?a=1"))
            #expect(webhook.secret.hasPrefix("whsec_"))
            _ = try await stage.started(1000)
            // The outcomes of a page come in parts, and each part is an event.
            let requests = try await receiver.requests {
                let events = $0.compactMap(\.event)
                return events.of("push.live_activity_started").deviceCount >= 1000
                    && !events.of("broadcast.finished").isEmpty
            }
            #expect(requests.count >= 6 && Set(requests.map(\.id)).count == requests.count)
            let events = requests.compactMap(\.event)
            #expect(events.map(\.id) == requests.map(\.id))
            #expect(events.of("push.live_activity_started").deviceCount == 1000)
            #expect(Set(events.flatMap(\.devices)).count == 1000)
            for request in requests {
                #expect(request.method == "POST" && request.path == "/hook?a=1")
                #expect(request.headers["content-type"] == "application/json")
                #expect(request.headers["host"] == "127.0.0.1:\(receiver.port)")
                #expect(request.body.count < 20_000)
                let seconds = request.headers["webhook-timestamp"].flatMap { Int64($0) } ?? 0
                #expect(abs(seconds - WallTime.now().seconds) < 120)
                #expect(try await request.isSigned(by: webhook.secret))
            }
            let other = "whsec_MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="
            #expect(try await !requests[0].isSigned(by: other))
            let after = try await stage.webhook(webhook.id) { $0.number("delivered") == requests.count }
            #expect(after.number("pending") == 0 && after["secret"] == nil && after["last_error"] == nil)
            // The tenant's stream is off.
            #expect(try await stage.events().isEmpty)
        }
        await receiver.stop()
    }

    @Test("A webhook gets the types that it asked for")
    func types() async throws {
        let (all, few) = (try await TestReceiver.start(), try await TestReceiver.start())
        try await TestStage.webhooks { stage in
            _ = try await stage.addWebhook(all.url())
            let webhook = try await stage.addWebhook(few.url(), types: #""broadcast.finished","activity.expired""#)
            _ = try await stage.started(10)
            _ = try await all.requests { $0.count == 2 }
            let requests = try await few.requests { !$0.isEmpty }
            #expect(requests.compactMap(\.event).map(\.type) == ["broadcast.finished"])
            let changed = try await stage.customer(
                "PATCH", "webhooks/\(webhook.id)", #"{"types":["push.live_activity_started"]}"#)
            #expect(changed.elements("types").compactMap(\.string) == ["push.live_activity_started"])
            let id = try await stage.register(10)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 10)
            let more = try await few.requests { $0.count == 2 }
            #expect(more.last?.event?.type == "push.live_activity_started")
        }
        for receiver in [all, few] { await receiver.stop() }
    }

    @Test("A receiver that fails gets the event again when its time has come, with the same id and a new signature")
    func retried() async throws {
        let clock = TestClock()
        let receiver = try await TestReceiver.start { _, number in .init(status: number < 3 ? 500 : 204) }
        try await TestStage.webhooks(clock: clock) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            try await stage.publish(1)
            _ = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 1 }
            clock.advance(seconds: 4)
            try await Task.sleep(for: .milliseconds(300))
            #expect(receiver.requests.count == 1)
            clock.advance(seconds: 3)
            let failed = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 2 }
            #expect(failed["last_error"]?.string == "answered 500" && failed.number("failures_in_a_row") == 2)
            #expect(failed["last_failure_at"]?.string != nil && failed["last_delivery_at"] == nil)
            clock.advance(seconds: 361)
            let done = try await stage.webhook(webhook.id) { $0.number("delivered") == 1 }
            #expect(done.number("failures_in_a_row") == 0 && done.number("pending") == 0)
            #expect(done["last_delivery_at"]?.string != nil)
            let requests = receiver.requests
            #expect(requests.count == 3 && Set(requests.map(\.id)) == ["evt_own_1"])
            #expect(Set(requests.map(\.body)).count == 1)
            #expect(Set(requests.compactMap { $0.headers["webhook-timestamp"] }).count == 3)
            for request in requests { #expect(try await request.isSigned(by: webhook.secret)) }
        }
        await receiver.stop()
    }

    @Test("Retry-After is honoured")
    func retryAfter() async throws {
        let clock = TestClock()
        let receiver = try await TestReceiver.start { _, number in
            number == 1 ? .init(status: 429, headers: [("Retry-After", "120")]) : .init()
        }
        try await TestStage.webhooks(clock: clock) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            try await stage.publish(1)
            _ = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 1 }
            // The webhook sends nothing else during the pause.
            try await stage.publish(2)
            clock.advance(seconds: 110)
            try await Task.sleep(for: .milliseconds(300))
            #expect(receiver.requests.count == 1)
            clock.advance(seconds: 15)
            _ = try await stage.webhook(webhook.id) { $0.number("delivered") == 2 }
        }
        await receiver.stop()
    }

    @Test("Receivers that are dead or silent hold up neither pushes nor other receivers, and are only probed")
    func deadReceivers() async throws {
        let silent = try await TestReceiver.start { _, _ in .init(isSilent: true) }
        let good = try await TestReceiver.start()
        let gone = try await TestReceiver.start()
        let dead = gone.url()
        await gone.stop()
        try await TestStage.webhooks { stage in
            let first = try await stage.addWebhook(dead)
            let second = try await stage.addWebhook(silent.url())
            _ = try await stage.addWebhook(good.url())
            let id = try await stage.started(600)
            try await stage.syncAll(0..<600, id)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 600)
            let requests = try await good.requests {
                let events = $0.compactMap(\.event)
                return events.of("push.live_activity_updated").deviceCount >= 600
                    && events.of("broadcast.finished").count == 2
            }
            #expect(requests.compactMap(\.event).of("push.live_activity_updated").deviceCount == 600)
            let refused = try await stage.webhook(first.id) { ($0.number("failures_in_a_row") ?? 0) >= 3 }
            #expect(refused["last_error"]?.string == "cannot connect: the connection was refused")
            let late = try await stage.webhook(second.id) { ($0.number("failures_in_a_row") ?? 0) >= 1 }
            #expect(late["last_error"]?.string == "did not answer in time")
            #expect((late.number("pending") ?? 0) > 10 && (refused.number("pending") ?? 0) > 10)
            #expect(silent.requests.count <= 12, "no more than a few at once")
        }
        for receiver in [silent, good] { await receiver.stop() }
    }

    @Test("A redirect is a failure, and not followed")
    func redirect() async throws {
        let target = try await TestReceiver.start()
        let url = target.url()
        let receiver = try await TestReceiver.start { _, _ in .init(status: 307, headers: [("Location", url)]) }
        try await TestStage.webhooks { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            try await stage.publish(1)
            let failed = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 1 }
            #expect(failed["last_error"]?.string == "answered 307; redirects are not followed")
            #expect(target.requests.isEmpty)
        }
        for receiver in [target, receiver] { await receiver.stop() }
    }

    @Test("A name is looked up once for each delivery, and what it stands for then is checked and connected to")
    func changingName() async throws {
        // The receiver listens on all addresses, so only the gateway's check prevents a connection.
        let receiver = try await TestReceiver.start(host: "0.0.0.0")
        let lookups = Mutex<(count: Int, answer: [String])>((0, ["127.0.0.1"]))
        try await TestStage.webhooks(configure: { options in
            options.webhooks.resolve = { name in
                #expect(name == "hooks.example.com")
                return lookups.withLock {
                    $0.count += 1
                    return $0.answer.compactMap { IPAddress($0) }
                }
            }
        }) { stage in
            let webhook = try await stage.addWebhook(receiver.url("hooks.example.com"))
            try await stage.publish(1)
            _ = try await stage.webhook(webhook.id) { $0.number("delivered") == 1 }
            #expect(lookups.withLock { $0.count } == 1)
            #expect(receiver.requests[0].headers["host"] == "hooks.example.com:\(receiver.port)")
            for (number, answer) in [["127.0.0.2"], ["127.0.0.1", "127.0.0.2"], ["::ffff:127.0.0.3"], ["::1"]]
                .enumerated()
            {
                lookups.withLock { $0.answer = answer }
                try await stage.publish(10 + number)
                let failed = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == number + 1 }
                // The message does not reveal the address.
                let text = "refused: the name resolves to an address that is not allowed"
                #expect(failed["last_error"]?.string == text, "\(failed.text)")
            }
            #expect(receiver.requests.count == 1)
            lookups.withLock { $0.answer = [] }
            try await stage.publish(20)
            let failed = try await stage.webhook(webhook.id) { $0.number("failed_attempts") == 5 }
            #expect(failed["last_error"]?.string == "the name has no address")
        }
        await receiver.stop()
    }

    /// Publishes an event of a tenant other than the stage's.
    private func publish(_ number: Int, of tenantID: String, _ stage: TestStage) async throws {
        let event = RecordedEvent(
            id: "evt_\(tenantID)_\(number)", type: .broadcastFinished, time: stage.store.wallClock(),
            data: Array(#"{"n":\#(number)}"#.utf8))
        try await stage.store.events.publish([event], tenantID: tenantID)
    }

    @Test("A tenant whose receivers do not answer leaves deliveries to others")
    func shares() async throws {
        let silent = try await TestReceiver.start { _, _ in .init(isSilent: true) }
        let good = try await TestReceiver.start()
        try await TestStage.webhooks(configure: {
            $0.webhooks.concurrency = 12
            $0.webhooks.timeout = .seconds(120)
        }) { stage in
            for number in 0..<4 { _ = try await stage.addWebhook(silent.url(path: "/\(number)")) }
            for number in 0..<4 { try await stage.publish(number) }
            // A quantum of four stays free.
            _ = try await silent.requests { $0.count == 8 }
            let neighbor = try await Neighbor(stage)
            let made = try await neighbor.call("POST", "webhooks", #"{"url":"\#(good.url())"}"#)
            #expect(made.status == 201, "\(made.text)")
            for number in 0..<10 { try await publish(number, of: neighbor.secrets.tenantID, stage) }
            _ = try await good.requests { $0.count == 10 }
            #expect(silent.requests.count == 8)
            // Waiting deliveries are counted as refusals of the share.
            let page = try await stage.metrics()
            let resource = ["resource": "webhook_deliveries"]
            #expect((8...12).contains(page.value("fanfare_share_used", resource) ?? 0))
            #expect(page.value("fanfare_share_capacity", resource) == 12)
            try await stage.eventually("none waits") {
                try await stage.metrics().value("fanfare_share_refusals_total", resource) ?? 0 > 0
            }
        }
        for receiver in [silent, good] { await receiver.stop() }
    }

    @Test("A tenant whose name servers do not answer has two names looked up at once, and what waits has not failed")
    func lookups() async throws {
        let good = try await TestReceiver.start()
        let asked = Mutex<[String]>([])
        let gate = AsyncStream<Void>.makeStream()
        try await TestStage.webhooks(configure: { options in
            options.webhooks.timeout = .seconds(2)
            options.webhooks.resolve = { name in
                guard name != "hooks.example.com" else { return [IPAddress("127.0.0.1")].compactMap { $0 } }
                asked.withLock { $0.append(name) }
                for await _ in gate.stream {}
                return []
            }
        }) { stage in
            defer { gate.continuation.finish() }
            var ids: [String] = []
            for number in 0..<4 { ids.append(try await stage.addWebhook("http://slow\(number).example.com/").id) }
            try await stage.publish(1)
            try await stage.eventually("none is looked up") { asked.withLock { $0.count } == 2 }
            let neighbor = try await Neighbor(stage)
            let url = good.url("hooks.example.com")
            let made = try await neighbor.call("POST", "webhooks", #"{"url":"\#(url)"}"#)
            #expect(made.status == 201, "\(made.text)")
            try await publish(1, of: neighbor.secrets.tenantID, stage)
            _ = try await good.requests { $0.count == 1 }
            // The two names that were looked up have failed. The others are still waiting and have not.
            func failed() async throws -> [Bool] {
                var failed: [Bool] = []
                for id in ids {
                    let webhook = try await stage.customer("GET", "webhooks/\(id)")
                    failed.append(webhook.number("failed_attempts") != 0)
                }
                return failed
            }
            try await stage.eventually("none times out") { try await failed().count { $0 } == 2 }
            try await stage.eventually("none waits") {
                let page = try await stage.metrics()
                let resource = ["resource": "webhook_lookups"]
                return page.value("fanfare_share_used", resource) == 2
                    && page.value("fanfare_share_capacity", resource) == 32
                    && page.value("fanfare_share_refusals_total", resource) ?? 0 > 0
            }
            let looked = asked.withLock { Set($0) }
            #expect(looked.count == 2)
            let tried = zip(0..<4, try await failed()).filter(\.1).map { "slow\($0.0).example.com" }
            #expect(Set(tried) == looked)
        }
        await good.stop()
    }

    @Test("What another gateway was to deliver is delivered when its lease has run out")
    func takeOver() async throws {
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks { stage in
            let lease = "fanfare:{e:\(stage.tenant.tenantID)}:lease"
            _ = try await stage.redis(RedisCommand("SET", lease, UniqueID.random().description, "PX", 3000))
            let begin = MonotonicTime.now()
            _ = try await stage.addWebhook(receiver.url())
            try await stage.publish(1)
            _ = try await receiver.requests { $0.count == 1 }
            #expect(MonotonicTime.now() > begin + .seconds(2))
        }
        await receiver.stop()
    }

    @Test("Of two gateways one delivers, and when it is stopped the other goes on")
    func twoGateways() async throws {
        let receiver = try await TestReceiver.start()
        try await TestStage.webhooks(gateways: 2) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            for number in 0..<50 { try await stage.publish(number) }
            _ = try await receiver.requests { $0.count == 50 }
            await stage.gateways[1].stop()
            for number in 50..<60 { try await stage.publish(number) }
            let requests = try await receiver.requests { $0.count == 60 }
            #expect(Set(requests.map(\.id)).count == 60)
            #expect(try await stage.webhook(webhook.id) { $0.number("delivered") == 60 }.number("pending") == 0)
        }
        await receiver.stop()
    }
}
