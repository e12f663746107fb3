import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import TestStore
import Testing
import TimeCore

@Suite("Erasures that were broken off", .serialized)
struct BrokenOffErasureTests {
    @Test("Whoever asks again gets no reply before the first erasure is done", arguments: [false, true])
    func repeated(isFurther: Bool) async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock, configure: { $0.api.erasurePatience = .seconds(60) }) { stage in
            try await stage.addDevices(2)
            try await stage.addAnna()
            let (id, token) = try await stage.annaWatches(with: 2)
            try await stage.syncAll(0..<2, id)
            // The progress at which the gateway was killed.
            let erasures = stage.setup.store.erasures
            let start = try await erasures.begin(Anna.phone.insiderID, tenantID: stage.tenant.tenantID)
            if isFurther {
                var report = ErasureReport()
                try await erasures.forgetRest(start.erasure, &report)
            }
            #expect(stage.pushes(.end).isEmpty)
            let again = try await stage.customer("DELETE", Anna.path)
            #expect(again.status == 200 && again["complete"]?.bool == true, "\(again.text)")
            #expect(again["removed", "live_activities_ended"]?.int64 == 1, "\(again.text)")
            #expect(stage.pushes(.end).map(\.token) == [token])
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 2)
            #expect(!stage.pushes(.update).map(\.token).contains(token))
        }
    }

    @Test("Many erasures of a tenant come to their ends without one of them waiting until a lease is over")
    func backlog() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(60)
            for user in 0..<60 {
                _ = try await stage.setup.store.erasures.begin(
                    TestStage.key(user).insiderID, tenantID: stage.tenant.tenantID)
            }
            func scores() async throws -> [Int64] {
                try await stage.withRedis { redis in
                    var scores: [Int64] = []
                    for key in try await stage.keys("fanfare:{*}:due") {
                        let parts = try await redis.value(RedisCommand("ZRANGE", key, 0, -1, "WITHSCORES")).array ?? []
                        for index in stride(from: 0, to: parts.count - 1, by: 2)
                        where parts[index].string?.hasPrefix("x:") == true {
                            scores.append(parts[index + 1].string.flatMap { Double($0) }.map { Int64($0) } ?? 0)
                        }
                    }
                    return scores
                }
            }
            // Everything is due at once. Then the clock moves only to tasks due within a second, so that no unfinished
            // task is leased again.
            func carriedOut(_ isOver: () async throws -> Bool) async throws {
                clock.now = WallTime(milliseconds: try #require(try await scores().max()))
                try await stage.eventually("some wait until a lease is over") {
                    if try await isOver() { return true }
                    let next = try await scores().filter { $0 > clock.now.milliseconds }.min()
                    if let next, next <= clock.now.milliseconds + 1000 { clock.now = WallTime(milliseconds: next) }
                    return false
                }
            }
            #expect(try await scores().count == 60)
            try await carriedOut { try await stage.keys("fanfare:{u:*}:x:open").isEmpty }
            try await carriedOut { try await scores().isEmpty }
        }
    }
}
