import TestSupport
import Testing

@Suite("Gateways with one service account") struct AccessTokenWalkTests {
    private static let day = 86_400_000
    private static let seeds = (1...6).map { TestSeed.current &+ $0 }

    private func gateways(_ seed: UInt64) -> Int { Int(seed % 7) + 2 }

    @Test(
        "While nothing fails, one of them fetches a token in 49 minutes, and nobody ever waits for it", arguments: seeds
    )
    func calm(_ seed: UInt64) {
        var world = AccessTokenWorld(seed: seed, gateways: gateways(seed), faults: .init())
        world.run(for: 2 * Self.day)
        #expect(world.complaints.isEmpty, "seed \(seed)")
        #expect(world.waits == 0, "seed \(seed)")
        #expect((55...60).contains(world.tokens.count), "seed \(seed): \(world.tokens.count)")
        for (first, second) in zip(world.tokens, world.tokens.dropFirst()) {
            #expect((2_930_000...3_010_000).contains(second.madeAt - first.madeAt), "seed \(seed)")
        }
    }

    @Test(
        "A token that is called expired is replaced once for all of them, and no two are made within a minute",
        arguments: seeds)
    func expiries(_ seed: UInt64) {
        var world = AccessTokenWorld(seed: seed, gateways: gateways(seed), faults: .init(expiries: true))
        world.run(for: Self.day)
        #expect(world.complaints.isEmpty, "seed \(seed)")
        #expect(world.replaced > 100, "seed \(seed)")
        for (first, second) in zip(world.tokens, world.tokens.dropFirst()) {
            #expect(second.madeAt - first.madeAt >= 58_000, "seed \(seed)")
        }
    }

    @Test("Whatever fails, nothing forbidden happens; afterwards all soon use good tokens again", arguments: seeds)
    func everything(_ seed: UInt64) {
        var world = AccessTokenWorld(
            seed: seed, gateways: gateways(seed),
            faults: .init(
                outages: seed % 2 == 0, failures: true, expiries: seed % 3 != 0, restarts: seed % 4 < 2))
        world.run(for: Self.day)
        #expect(world.complaints.isEmpty, "seed \(seed): \(world.complaints.prefix(3))")
        // The walk has seen what it is for.
        #expect(world.failed > 10 && world.tokens.count > 25, "seed \(seed)")
        for _ in 0..<20 {
            world.calmDown()
            world.run(for: 150_000)
            #expect(world.inUse.allSatisfy { $0 != nil }, "seed \(seed)")
        }
        world.run(for: 8_000_000)
        #expect(world.complaints.isEmpty, "seed \(seed): \(world.complaints.prefix(3))")
        #expect(Set(world.inUse).count <= 2, "seed \(seed)")
    }
}
