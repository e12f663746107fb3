import Delivery
import Testing

@Suite("Many gateways with one key") struct ProviderTokenWalkTests {
    private static let day = 86_400_000
    private static let seeds = Array(1...12) as [UInt64]

    private func gateways(_ seed: UInt64) -> Int { Int(seed % 9) + 2 }

    @Test(
        "While the store is up, two tokens are never made within twenty minutes, and none is used but the shared ones",
        arguments: seeds)
    func storeUp(_ seed: UInt64) {
        var world = ProviderTokenWorld(seed: seed, gateways: gateways(seed), faults: .init())
        world.run(for: 2 * Self.day)
        #expect(world.complaints.isEmpty, "seed \(seed)")
        #expect(world.renewals.count > 30, "seed \(seed)")
        for (first, second) in zip(world.renewals, world.renewals.dropFirst()) {
            #expect(second - first >= 1_200_000, "seed \(seed)")
        }
        let lonely = world.uses.filter { !$0.isShared }.count
        #expect(lonely == 0, "seed \(seed)")
        // Only tokens that became the shared one are used.
        #expect(Set(world.uses.map(\.token)).count == world.renewals.count, "seed \(seed)")
    }

    @Test("Outages hold no push up and age no token; afterwards all gateways come together again", arguments: seeds)
    func outages(_ seed: UInt64) {
        var world = ProviderTokenWorld(
            seed: seed, gateways: gateways(seed), faults: .init(outages: true))
        world.run(for: 2 * Self.day)
        #expect(world.complaints.isEmpty, "seed \(seed)")
        for (first, second) in zip(world.renewals, world.renewals.dropFirst()) {
            #expect(second - first >= 1_200_000, "seed \(seed)")
        }
        // The walk has used tokens that were not shared.
        #expect(world.uses.contains { !$0.isShared }, "seed \(seed)")
        world.calmDown()
        world.run(for: 3 * 3_600_000)
        var fewest = Int.max
        world.run(for: 6_000_000) { fewest = min(fewest, $0.tokensInUse.count) }
        #expect(fewest == 1, "seed \(seed)")
        #expect(world.complaints.isEmpty, "seed \(seed)")
    }

    @Test("Whatever clocks and the provider say, at most two tokens are made within twenty minutes", arguments: seeds)
    func expiries(_ seed: UInt64) {
        var world = ProviderTokenWorld(
            seed: seed, gateways: gateways(seed),
            faults: .init(outages: seed % 2 == 0, expiries: true, clockSteps: true))
        world.run(for: 2 * Self.day)
        #expect(world.complaints.isEmpty, "seed \(seed)")
        for (first, third) in zip(world.renewals, world.renewals.dropFirst(2)) {
            #expect(third - first >= 1_200_000, "seed \(seed)")
        }
        // The walk has replaced refused tokens.
        #expect(world.replacements > 0, "seed \(seed)")
    }
}
