import Delivery
import Reactor
import RedisClient
import TestStore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The quota of a project") struct StoredSendQuotaTests {
    /// Gateways that share a quota, on a clock that the test turns.
    private final class Gateways: Sendable {
        let quotas: [StoredSendQuota]
        private let stage: StoreStage

        init(_ stage: StoreStage, _ count: Int, limit: Int, rampUp: TimeInterval = .zero) {
            self.stage = stage
            quotas = (0..<count).map { _ in
                StoredSendQuota(
                    GatewayStore(redis: stage.redis), project: "project-1", messagesPerMinute: limit, rampUp: rampUp,
                    clock: { stage.now })
            }
        }

        func take(_ count: Int, by gateway: Int = 0) async -> (granted: Int, wait: TimeInterval) {
            let quota = quotas[gateway]
            let reply = await stage.reactor.call(stopped: SendQuotaReply.unavailable) { done in
                quota.take(count) { done($0) }
            }
            guard case .granted(let granted, let wait) = reply else { return (-1, .zero) }
            return (granted, wait)
        }

        func on(_ body: @escaping @Sendable (StoredSendQuota) -> Void) async {
            let quota = quotas[0]
            await stage.reactor.call(stopped: ()) { done in
                body(quota)
                done(())
            }
        }

        /// The number granted over a time to a gateway that keeps asking for more than is available.
        func taken(for time: TimeInterval) async -> Int {
            var sum = 0
            var left = time.nanoseconds / 1_000_000
            while left > 0 {
                let (granted, wait) = await take(1_000_000)
                sum += granted
                let pause = min(max(1, wait.millisecondsRoundedUp), left)
                stage.advance(.milliseconds(Int(pause)))
                left -= pause
            }
            return sum
        }
    }

    @Test(
        "In no minute more is given than the quota, whoever asks and whenever, and what is asked for all the time gets nearly all",
        arguments: [1, 2, 60, 12_000, 600_000])
    func bound(limit: Int) async throws {
        try await StoreStage.run { stage in
            let gateways = Gateways(stage, 2, limit: limit)
            var random = SeededGenerator(seed: UInt64(limit))
            // Times in milliseconds, and the numbers granted.
            var given: [(time: Int, count: Int)] = []
            var now = 0
            var total = 0
            while now < 100_000 {
                // Mostly asks for more than is available, and often enough to use all of it.
                let isSmall = Int.random(in: 0..<10, using: &random) == 0
                let wanted = isSmall ? limit / 1_000 + 1 : limit * 2
                let (granted, wait) = await gateways.take(wanted, by: Int.random(in: 0...1, using: &random))
                #expect((0...wanted).contains(granted) && (granted == wanted) == (wait == .zero))
                if granted > 0 { given.append((now, granted)) }
                total += granted
                let isRest = Int.random(in: 0..<10_000, using: &random) == 0
                let pause = Int.random(in: 0...(isRest ? 70_000 : 30), using: &random)
                now += pause
                stage.advance(.milliseconds(pause))
            }
            var first = 0
            var sum = 0
            for (time, count) in given {
                sum += count
                while given[first].time < time - 60_000 {
                    sum -= given[first].count
                    first += 1
                }
                #expect(sum <= limit)
                if sum > limit { return }
            }
            #expect(total > 0)
        }
    }

    @Test("Asked for all the time, it gives nearly the whole quota, spread over the minute and not at its start")
    func spread() async throws {
        try await StoreStage.run { stage in
            let gateways = Gateways(stage, 1, limit: 60_000)
            let (burst, _) = await gateways.take(1_000_000)
            #expect((90...100).contains(burst))
            let ten = await gateways.taken(for: .seconds(10))
            #expect((9_700...10_000).contains(ten), "\(ten)")
            let second = await gateways.taken(for: .seconds(1))
            #expect((900...1_000).contains(second), "\(second)")
        }
    }

    @Test("From the first use on the rate grows from a tenth to the whole, and again after a minute's rest")
    func ramp() async throws {
        try await StoreStage.run { stage in
            let gateways = Gateways(stage, 1, limit: 60_000, rampUp: .seconds(60))
            let first = await gateways.taken(for: .seconds(1))
            #expect((90...130).contains(first), "\(first)")
            stage.advance(.seconds(29))
            let middle = await gateways.taken(for: .seconds(1))
            #expect((480...620).contains(middle), "\(middle)")
            stage.advance(.seconds(30))
            let whole = await gateways.taken(for: .seconds(1))
            #expect((930...1_110).contains(whole), "\(whole)")
            stage.advance(.seconds(59))
            let still = await gateways.taken(for: .seconds(1))
            #expect((930...1_110).contains(still), "\(still)")
            stage.advance(.seconds(61))
            let anew = await gateways.taken(for: .seconds(1))
            #expect((90...130).contains(anew), "\(anew)")
        }
    }

    @Test(
        "Told that the quota is used up, it gives nobody anything for so long; a shorter time does not cut a longer one"
    )
    func closed() async throws {
        try await StoreStage.run { stage in
            let gateways = Gateways(stage, 2, limit: 60_000)
            await gateways.on { $0.quotaExceeded(wait: .seconds(30)) }
            await gateways.on { $0.quotaExceeded(wait: .seconds(3)) }
            #expect(await gateways.take(5, by: 1) == (0, .seconds(30)))
            stage.advance(.milliseconds(29_999))
            #expect(await gateways.take(5) == (0, .milliseconds(1)))
            stage.advance(.milliseconds(1))
            #expect(await gateways.take(5, by: 1).granted == 5)
            await gateways.on { $0.quotaExceeded(wait: .seconds(1_000_000)) }
            #expect(await gateways.take(5).wait == .seconds(120))
        }
    }

    @Test("Told to be slow it halves the rate, and grows back within ten seconds")
    func slow() async throws {
        try await StoreStage.run { stage in
            let gateways = Gateways(stage, 1, limit: 60_000)
            _ = await gateways.taken(for: .milliseconds(200))
            await gateways.on { $0.slowDown() }
            let half = await gateways.taken(for: .milliseconds(500))
            #expect((220...300).contains(half), "\(half)")
            for _ in 0..<10 { await gateways.on { $0.slowDown() } }
            let least = await gateways.taken(for: .seconds(1))
            #expect((50...180).contains(least), "\(least)")
            stage.advance(.seconds(9))
            let again = await gateways.taken(for: .seconds(1))
            #expect((900...1_100).contains(again), "\(again)")
        }
    }

    @Test("A clock that is set back by a year stops nobody for longer than a minute's worth")
    func clock() async throws {
        try await StoreStage.run { stage in
            let gateways = Gateways(stage, 1, limit: 60_000)
            stage.advance(.seconds(400 * 86_400))
            _ = await gateways.take(1_000)
            let other = StoredSendQuota(
                GatewayStore(redis: stage.redis), project: "project-1", messagesPerMinute: 60_000, rampUp: .zero)
            let reply = await stage.reactor.call(stopped: SendQuotaReply.unavailable) { done in
                other.take(5) { done($0) }
            }
            #expect(reply == .granted(5, wait: .zero))
        }
    }

    @Test("Projects have quotas of their own, whatever lies there has an answer, and without Redis nothing is given")
    func others() async throws {
        try await StoreStage.run { stage in
            let gateways = Gateways(stage, 1, limit: 60)
            #expect(await gateways.take(1).granted == 1)
            #expect(await gateways.take(1).granted == 0)
            _ = try await stage.store.value(RedisCommand("SET", Keys.quota("project-1"), "text"))
            #expect(await gateways.take(1).granted == -1)
            stage.backend.kill()
            #expect(await gateways.take(1).granted == -1)
        }
    }
}
