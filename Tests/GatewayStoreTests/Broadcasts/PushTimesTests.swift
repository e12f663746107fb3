import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("When a broadcast's pushes left")
struct PushTimesTests {
    private func times(_ first: Int64, _ last: Int64) -> PushTimes {
        PushTimes(first: WallTime(milliseconds: first), last: WallTime(milliseconds: last))
    }

    @Test("Of several jobs the first one's first push and the last one's last count, also when it has ended")
    func jobs() async throws {
        try await StoreStage.run { stage in
            let record = try await stage.started(partitions: 3)
            let order = try #require(try await stage.begin(.update, record))
            let jobs = try await stage.jobs(order).filter { $0.broadcastID == order.id }
            try #require(jobs.count == 3)
            #expect(try await stage.store.jobs.isDue(jobs[0], order) == true)
            let now = stage.store.wallClock().milliseconds
            func complete(_ place: Int, _ pushes: PushTimes?) async throws -> BroadcastRecord? {
                try await stage.store.jobs.complete(jobs[place], order, as: stage.gateway, pushes: pushes)
            }
            func read() async throws -> BroadcastRecord? {
                try await stage.store.broadcasts.broadcast(order.id, in: order.activity.id)
            }
            #expect(try await read()?.pushes == nil)
            // A gateway that stops gives its job back.
            try await stage.store.jobs.note(times(now + 60, now + 70), of: jobs[0], order, as: stage.gateway)
            let given = try await read()
            #expect(given?.pushes == times(now + 60, now + 70) && given?.state == .running)
            _ = try await complete(0, times(now + 50, now + 90))
            #expect(try await read()?.pushes == times(now + 50, now + 90))
            // The call is repeated when its answer was lost, and changes nothing.
            _ = try await complete(0, times(now + 1, now + 100))
            _ = try await complete(1, times(now + 20, now + 60))
            #expect(try await read()?.pushes == times(now + 20, now + 90))
            let ended = try #require(try await complete(2, times(now + 30, now + 110)))
            #expect(ended.state == .done && ended.pushes == times(now + 20, now + 110))
            #expect(
                try await stage.store.value(RedisCommand("EXISTS", Keys.broadcast(order.activity.id, order.id))).int
                    == 0)
            #expect(try await read()?.startedAt != nil)
        }
    }
}
