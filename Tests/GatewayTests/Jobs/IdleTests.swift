import BroadcastCore
import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import TestStore
import Testing
import TimeCore
import Webhooks

@Suite(
    "Gateways with nothing to do", .serialized,
    .disabled(if: StoreBackend.isCluster, "it counts the commands of one server; the run without a cluster has it"))
struct IdleTests {
    /// The number of calls of each command, including commands within scripts.
    private func commands(_ stage: TestStage) async throws -> [String: Int] {
        let text = try await stage.redis(RedisCommand("INFO", "commandstats")).string ?? ""
        var counts: [String: Int] = [:]
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("cmdstat_") {
            let parts = line.dropFirst("cmdstat_".count).split(separator: ":")
            let calls = parts.last?.split(separator: ",").first?.dropFirst("calls=".count)
            counts[String(parts[0])] = calls.flatMap { Int($0) }
        }
        return counts
    }

    /// Returns when no gateway polls any more.
    private func waitUntilQuiet(_ stage: TestStage) async throws {
        var last = -1
        try await stage.eventually("gateways go on looking") {
            let count = try await commands(stage)["evalsha"] ?? 0
            defer { last = count }
            try await Task.sleep(for: .milliseconds(400))
            return count == last
        }
    }

    @Test("A gateway with live activities, schedules and webhooks sends fewer than 100 commands a second")
    func cost() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            _ = try await stage.schedule(id, #""offset":600"#)
            for number in 0..<5 { _ = try await stage.addWebhook("https://example.com/\(number)") }
            // Longer than what follows from that takes.
            try await Task.sleep(for: .seconds(2))
            let begin = MonotonicTime.now()
            let before = try await commands(stage)
            try await Task.sleep(for: .seconds(3))
            let after = try await commands(stage)
            // A busy machine makes it longer, and the number no larger.
            let seconds = (MonotonicTime.now() - begin).inSeconds
            let counts = after.map { ($0.key, $0.value - (before[$0.key] ?? 0)) }.filter { $0.1 > 0 }
            let rate = Double(counts.reduce(0) { $0 + $1.1 }) / seconds
            #expect(rate < 100, "\(rate) a second in \(seconds) s: \(counts.sorted { $0.1 > $1.1 })")
            #expect(after["get", default: 0] > before["get", default: 0], "news are heard")
        }
    }

    @Test("A signal alone makes a gateway take another gateway's unclaimed work")
    func news() async throws {
        try await TestStage.run(configure: { $0.jobs.watch.sweep = .seconds(36_000) }) { stage in
            var options = stage.options
            options.jobs.limits = .init(perLane: [0, 0, 0])
            let recorder = try await Gateway.start(options, logger: TestStage.silent)
            let result: Result<Void, any Error>
            do {
                for count in [3, 2500] {
                    try await stage.addDevices(count)
                    let id = try await stage.register(count)
                    try await waitUntilQuiet(stage)
                    let answer = try await stage.call("start", TestStage.body(id), port: recorder.port)
                    #expect(answer.status == 200 && answer.accepted == count, "\(answer.text)")
                }
                // A schedule that is soon due, carried out by a gateway that takes jobs or by the one that has recorded
                // it.
                let id = try await stage.register(3)
                try await waitUntilQuiet(stage)
                let schedule = try await stage.schedule(id, #""offset":1"#, event: "start", gateway: 0)
                #expect(try await stage.ended(schedule: schedule, of: id).text("state") == "done")
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await recorder.stop()
            try result.get()
        }
    }

    @Test("Work without a signal is found by peeks and by polls", arguments: [1, 1_000_000])
    func lostNews(sweepsForLook: Int) async throws {
        try await TestStage.run(configure: { $0.jobs.watch.sweepsForLook = sweepsForLook }) { stage in
            try await stage.addDevices(3)
            let id = try #require(UniqueID(try await stage.register(3)))
            let record = try #require(try await stage.store.activities.activity(id))
            // A gateway that looks all the time finds it whether it sweeps or not.
            var last = ["evalsha": -1]
            try await stage.eventually("the gateway does not become quiet") {
                let now = try await commands(stage)
                defer { last = now }
                try await Task.sleep(for: .milliseconds(300))
                return now["evalsha", default: 0] - last["evalsha", default: 0] < 64
            }
            let order = try await stage.setup.store.broadcasts.begin(TestStage.startDraft(), for: record).get()
            let answer = try await stage.ended(order.id)
            #expect(answer["state"]?.string == "done" && answer["accepted"]?.int64 == 3, "\(answer.text)")
        }
    }

    @Test("A signal alone makes a gateway deliver an event")
    func webhookNews() async throws {
        let receiver = try await TestReceiver.start { _, _ in .init() }
        try await TestStage.webhooks(configure: { $0.webhooks.sweep = 1_000_000 }) { stage in
            let webhook = try await stage.addWebhook(receiver.url())
            for number in 1...3 {
                // Long enough for some looks, should there be any.
                try await Task.sleep(for: .milliseconds(500))
                try await stage.publish(number)
                _ = try await stage.webhook(webhook.id) { $0.number("delivered") == number }
            }
        }
        await receiver.stop()
    }
}
