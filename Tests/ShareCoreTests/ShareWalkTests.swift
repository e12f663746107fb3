import ShareCore
import TestSupport
import Testing

/// Random stories, checked step by step against a model that adds up all single grants.
@Suite("Random walks of shares") struct ShareWalkTests {
    @Test("No invariant is broken in any story", arguments: 0..<40)
    func walk(_ number: Int) {
        let walker = ShareWalker.story(seed: TestSeed.current &+ UInt64(number), steps: 3_000) { Issue.record("\($0)") }
        guard walker.violations.isEmpty else { return }
        #expect(walker.given > 100 && walker.refused > 100, "the story never got anywhere")
    }
}

struct ShareWalker: RandomStory {
    private struct Grant {
        let holder: Int
        let amount: Int
    }

    private let capacity: Int
    private let quantum: Int
    private let favors: Bool
    private let weights: [Int]
    private let greed: Int
    private var shares: FairShares<Int>
    private var grants: [Grant] = []
    private var generator: SeededGenerator
    var last = ""
    var violations: [String] = []
    var given = 0
    var refused = 0

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        capacity = [3, 32, 1_000, 1 << 28].randomElement(using: &generator) ?? 1
        quantum = max(1, capacity / Int.random(in: 3...200, using: &generator))
        favors = Int.random(in: 0..<4, using: &generator) == 0
        weights = (0..<12).map { _ in [1, 1, 1, 2, 10].randomElement(using: &generator) ?? 1 }
        greed = max(1, capacity / Int.random(in: 1...60, using: &generator))
        shares = FairShares(ShareRule(capacity: capacity, quantum: quantum, favorsNewcomers: favors))
        self.generator = generator
    }

    private func held(_ holder: Int) -> Int { grants.filter { $0.holder == holder }.map(\.amount).reduce(0, +) }
    private var free: Int { capacity - grants.map(\.amount).reduce(0, +) }

    mutating func step() {
        if !grants.isEmpty, Int.random(in: 0..<5, using: &generator) < 2 {
            let grant = grants.remove(at: Int.random(in: grants.indices, using: &generator))
            last = "\(grant.holder) gives back \(grant.amount)"
            shares.gaveBack(grant.amount, by: grant.holder)
        } else {
            let holder = Int.random(in: weights.indices, using: &generator)
            take(Int.random(in: 1...greed, using: &generator), holder)
        }
        check()
    }

    private mutating func take(_ amount: Int, _ holder: Int) {
        last = "\(holder) wants \(amount)"
        let (held, free, weight) = (held(holder), free, weights[holder])
        let isLittle = held + amount <= quantum
        // The invariants solved for the free part: a part of the holder's new total must stay free.
        let part = Double(held + amount) / Double(8 * weight)
        let leaves = Double(free - amount) >= max(part, Double(quantum))
        let expected = favors && held == 0 && isLittle || free >= amount && (isLittle || leaves)
        let others = weights.indices.filter { weights[$0] >= weight && self.held($0) <= held }
        let before = shares
        let isGiven = shares.take(amount, for: holder, weight: weight)
        if isGiven != expected { violations.append("is given: \(isGiven), the model says \(expected)") }
        if isGiven {
            given += 1
            grants.append(Grant(holder: holder, amount: amount))
            for other in others {
                var shares = before
                if !shares.take(amount, for: other, weight: weights[other]) {
                    violations.append("4: \(other) is refused")
                }
            }
        } else {
            refused += 1
            if shares != before { violations.append("a refusal changes something") }
            if !isLittle, Double(free - amount) >= max(part, Double(quantum)) { violations.append("5") }
        }
        if isGiven, !isLittle, self.free < quantum { violations.append("3: \(self.free) are free") }
        if isLittle, free >= amount, !isGiven { violations.append("2") }
    }

    private mutating func check() {
        let held = weights.indices.map(held)
        if held.reduce(0, +) != shares.used { violations.append("used is \(shares.used)") }
        if held.indices.contains(where: { held[$0] != shares.held(by: $0) }) { violations.append("who holds what") }
        if held.count(where: { $0 > 0 }) != shares.holders { violations.append("holders are \(shares.holders)") }
        let most = capacity + (favors ? weights.count * quantum : 0)
        if shares.used > most { violations.append("1: \(shares.used) of \(capacity)") }
    }
}
