import Gateway
import GatewayAPI
import GatewayStore
import Logging
import MockAPNs
import PushClient
import RedisClient
import ScrapedMetrics
import Testing
import TimeCore

@testable import Broadcasts

@Suite("An emptied store and live topics without a start appear in the metrics", .serialized)
struct EmptiedStoreTests {
    @Test("The number of tenants is a metric, and a store that has none any more is logged once")
    func emptied() async throws {
        let log = CapturedLog()
        try await TestStage.run(
            logger: log.logger(.error), configure: { $0.surveillance.period = .milliseconds(100) }
        ) { stage in
            try await stage.eventually("the tenant is not counted") {
                try await stage.metrics().value("fanfare_tenants") == 1
            }
            _ = try await stage.redis(RedisCommand("FLUSHALL"))
            try await stage.eventually("the loss is not seen") {
                try await stage.metrics().value("fanfare_tenants") == 0
            }
            // All else is well.
            #expect(try await stage.ready().status == 200)
            #expect(try await stage.call("start", "{").status == 401)
            #expect(try await stage.metrics().value("fanfare_topic_start_delay_seconds") == 0)
            let message = "all tenants missing, Redis emptied or replaced"
            try await stage.eventually("it is not logged") { try log.read().contains { $0.message == message } }
            #expect(try log.read().filter { $0.message == message }.count == 1)
        }
    }

    @Test("A live topic whose start is refused shows in the metric until it is started")
    func refusedStart() async throws {
        try await TestStage.run(configure: {
            $0.api.maximumBroadcasts = 1
            $0.push.pushDeadline = .seconds(8)
        }) { stage in
            try await stage.addDevices(2)
            stage.mock.setScript(.always(.silence))
            #expect(try await stage.put("t", TestStage.topic("upcoming")).status == 200)
            try await stage.follow(1..<2, "t")
            let other = TestStage.body(try await stage.register(ids: [0]))
            // The start takes the only place until its push counts as unanswered.
            #expect(try await stage.call("start", other, headers: ["Prefer": "respond-async"]).status == 202)
            #expect(try await stage.put("t", TestStage.topic("live", 1)).status == 200)
            try await stage.eventually("the metric shows nothing") {
                try await stage.metrics().value("fanfare_topic_start_delay_seconds") ?? 0 > 0
            }
            #expect(stage.starts(1..<2) == [0])
            stage.mock.setScript(MockScript())
            try await stage.eventually("the topic is not started") { stage.starts(1..<2) == [1] }
            try await stage.eventually("the metric shows a delay") {
                try await stage.metrics().value("fanfare_topic_start_delay_seconds") == 0
            }
        }
    }

    @Test("A live topic counts from its first drive without a start until it has one, or another gateway drives it")
    func delays() {
        let delays = TopicStartDelays()
        let (one, other) = (TopicID(tenantID: "t", name: "one"), TopicID(tenantID: "t", name: "other"))
        let begin = MonotonicTime(nanoseconds: 1_000_000_000_000)
        #expect(delays.longest(now: begin) == .zero)
        delays.drove(one, isWaiting: true, now: begin)
        delays.drove(other, isWaiting: true, now: begin + .seconds(30))
        for second in stride(from: 40, through: 90, by: 10) {
            delays.drove(one, isWaiting: true, now: begin + .seconds(second))
        }
        #expect(delays.longest(now: begin + .seconds(95)) == .seconds(95))
        delays.drove(one, isWaiting: false, now: begin + .seconds(96))
        // The other one was not driven here for more than a minute.
        #expect(delays.longest(now: begin + .seconds(97)) == .zero)
        delays.drove(one, isWaiting: true, now: begin + .seconds(98))
        #expect(delays.longest(now: begin + .seconds(100)) == .seconds(2))
    }
}
