import LiveActivity
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The rate limit")
struct RateLimitTests {
    @Test("In no window of a minute more than the limit is let through, and never less than could be", arguments: 0..<4)
    func walk(number: Int) async throws {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let limit = [1, 3, 10, 40][number]
        try await StoreStage.run { stage in
            let key = try await stage.store.tenants.createTenant(name: "a", tier: .growth).apiKey
            var now = Int64(1_795_000_000_000)
            var allowed: [Int64] = []
            for _ in 0..<600 {
                now += [0, 1, 7, 500, 59_999, 60_000].randomElement(using: &generator) ?? 0
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    now += Int64.random(in: 0...(120_000 / Int64(limit)), using: &generator)
                }
                let rate = try #require(
                    try await stage.store.tenants.admit(
                        key: key, kind: .api, limit: limit, now: WallTime(milliseconds: now))
                ).rate
                let inWindow = allowed.filter { $0 > now - 60_000 }
                #expect(rate.isAllowed == (inWindow.count < limit), "seed \(seed)")
                if rate.isAllowed { allowed.append(now) }
                #expect(rate.remaining == limit - min(limit, inWindow.count + 1), "seed \(seed)")
                #expect(rate.resetAt == (inWindow.first ?? now) + 60_000, "seed \(seed)")
            }
            for (index, first) in allowed.enumerated() {
                #expect(allowed[index...].prefix { $0 < first + 60_000 }.count <= limit, "seed \(seed)")
            }
        }
    }

    @Test("Requests at the same time on many clients take the limit together")
    func together() async throws {
        try await StoreStage.run { stage in
            let one = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            let now = WallTime.now()
            let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        try await stage.store.tenants.admit(key: one.apiKey, kind: .api, limit: 100, now: now)?.rate
                            .isAllowed
                            == true
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(allowed == 100)
            // Another key has a window of its own.
            let other = try await stage.store.tenants.admit(key: one.sdkKey, kind: .sdk, limit: 100, now: now)
            #expect(other?.rate == Admission.Rate(isAllowed: true, remaining: 99, resetAt: now.milliseconds + 60_000))
        }
    }

    @Test("Without a given time Redis's own clock counts")
    func serverClock() async throws {
        try await StoreStage.run { stage in
            let key = try await stage.store.tenants.createTenant(name: "a", tier: .growth).apiKey
            for number in 1...3 {
                let rate = try await stage.store.tenants.admit(key: key, kind: .api, limit: 2)?.rate
                #expect(rate?.isAllowed == (number < 3) && rate?.remaining == max(0, 2 - number))
                let distance = abs((rate?.resetAt ?? 0) - 60_000 - WallTime.now().milliseconds)
                #expect(distance < 30_000)
            }
        }
    }
}
