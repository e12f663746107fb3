import BroadcastCore
import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import Logging
import RedisClient
import ScrapedMetrics
import Testing
import TimeCore

@Suite("Broadcasts that vanish from Redis", .serialized)
struct VanishedTests {
    /// Begins a broadcast, takes its job and deletes its record.
    private func lose(_ stage: TestStage) async throws -> BroadcastOrder {
        let order = try await stage.beginAndTake(2).order
        let id = order.activity.id
        let key = "fanfare:{\(id.low % 64)}:a:\(id):b:\(order.id)"
        #expect(try await stage.redis(RedisCommand("DEL", key)).int == 1)
        return order
    }

    @Test(
        "It is logged and counted once, whether a gateway gets its job or looks for what has vanished",
        arguments: [true, false])
    func vanished(hasJob: Bool) async throws {
        let log = CapturedLog()
        try await TestStage.run(
            logger: log.logger(.error),
            configure: { options in
                if hasJob {
                    options.jobs.limits.silence = .seconds(2)
                } else {
                    options.surveillance.period = .milliseconds(200)
                    options.surveillance.periodsForChecks = 1
                }
            }
        ) { stage in
            try await stage.addDevices(2)
            let order = try await lose(stage)
            try await stage.eventually("nobody misses it") {
                try await stage.metrics().value("fanfare_broadcasts_vanished_total") ?? 0 > 0
            }
            // The job and all that is left of the broadcast are removed too.
            try await stage.settled()
            #expect(try await stage.metrics(finished: 0).value("fanfare_broadcasts_vanished_total") == 1)
            var lines: [CapturedLog.Line] = []
            try await stage.eventually("it is not logged") {
                lines = try log.read().filter { $0.message == "unfinished broadcast missing in Redis" }
                return !lines.isEmpty
            }
            #expect(lines.count == 1)
            #expect(lines.first?.level == "error" && lines.first?.metadata["broadcast_id"] == "\(order.id)")
            #expect(lines.first?.metadata["activity_id"] == "\(order.activity.id)")
        }
    }
}
