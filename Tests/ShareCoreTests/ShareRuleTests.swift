import ShareCore
import Testing

/// The rule in plain cases. The numbers in the titles are those of its invariants.
@Suite("Who gets how much") struct ShareRuleTests {
    /// Takes one at a time until it is refused. Returns the number taken.
    private func fill(_ shares: inout FairShares<String>, _ holder: String, weight: Int = 1) -> Int {
        var count = 0
        while shares.take(1, for: holder, weight: weight) { count += 1 }
        return count
    }

    private func take<Holder>(_ shares: inout FairShares<Holder>, _ amount: Int, _ holder: Holder) -> Bool {
        shares.take(amount, for: holder)
    }

    @Test(
        "One tenant alone has nearly all, and the more the greater its weight", arguments: [(1, 28), (2, 30), (10, 31)])
    func alone(_ weight: Int, _ count: Int) {
        var shares = FairShares<String>(ShareRule(capacity: 32))
        #expect(fill(&shares, "a", weight: weight) == count)
    }

    @Test("What one can have alone is what it gets alone", arguments: [1, 2, 3, 9, 10, 32, 1_000])
    func most(_ capacity: Int) {
        for quantum in [1, 2, capacity / 3, capacity / 2 + 1, capacity] {
            for weight in [1, 2, 10, 1_000] {
                for favors in [false, true] {
                    let rule = ShareRule(capacity: capacity, quantum: quantum, favorsNewcomers: favors)
                    var shares = FairShares<String>(rule)
                    #expect(fill(&shares, "a", weight: weight) == rule.most(weight: weight), "\(quantum), \(weight)")
                }
            }
        }
    }

    @Test("Who has nothing gets one however much another has taken (2)", arguments: [2, 3, 8, 32, 1_000])
    func newcomer(_ capacity: Int) {
        var shares = FairShares<String>(ShareRule(capacity: capacity))
        _ = fill(&shares, "a")
        #expect(take(&shares, 1, "b"))
    }

    @Test("The only one that there is goes to whoever comes")
    func single() {
        var shares = FairShares<String>(ShareRule(capacity: 1))
        #expect(take(&shares, 1, "a"))
        #expect(!take(&shares, 1, "b"))
        shares.gaveBack(1, by: "a")
        #expect(take(&shares, 1, "b"))
    }

    @Test("Of what comes back who has less gets more, until all have the same (4)")
    func convergence() {
        var shares = FairShares<String>(ShareRule(capacity: 1_000))
        #expect(fill(&shares, "a") == 888)
        #expect(fill(&shares, "b") < 112)
        for _ in 0..<1_000 {
            shares.gaveBack(1, by: "a")
            if !shares.take(1, for: "b") { _ = shares.take(1, for: "a") }
        }
        #expect(abs(shares.held(by: "a") - shares.held(by: "b")) <= 9)
        #expect(shares.used >= 940, "two have eight seventeenths each")
    }

    @Test("Greedy tenants come to have what their weights say")
    func weights() {
        var shares = FairShares<String>(ShareRule(capacity: 1_000))
        let weights = ["a": 1, "b": 2, "c": 4]
        for holder in weights.keys.sorted() { _ = fill(&shares, holder, weight: weights[holder] ?? 1) }
        for _ in 0..<2_000 {
            for holder in weights.keys.sorted() { shares.gaveBack(1, by: holder) }
            // The holder with the least of its share asks last, and still gets it.
            for holder in weights.keys.sorted() { _ = fill(&shares, holder, weight: weights[holder] ?? 1) }
        }
        let each = weights.mapValues { Double($0) / 7 * 1_000 }
        for (holder, share) in each {
            #expect(
                abs(Double(shares.held(by: holder)) - share) < 0.15 * share, "\(holder) has \(shares.held(by: holder))")
        }
    }

    @Test("A quantum is given out of what must stay free, and nothing beyond it (2, 3)")
    func quantum() {
        var shares = FairShares<String>(ShareRule(capacity: 1_000, quantum: 100))
        #expect(!take(&shares, 901, "a"))
        #expect(take(&shares, 800, "a"))
        #expect(!take(&shares, 101, "b"), "beyond a quantum, it would leave less than one")
        #expect(take(&shares, 100, "b"))
        #expect(take(&shares, 60, "c"))
        #expect(take(&shares, 40, "c"))
        #expect(!take(&shares, 1, "d"), "there is none")
    }

    @Test("Where it is bounded for order's sake, a newcomer gets one beyond what there is")
    func newcomersAreFavored() {
        var shares = FairShares<Int>(ShareRule(capacity: 4, favorsNewcomers: true))
        for holder in 0..<50 { #expect(take(&shares, 1, holder)) }
        #expect(!take(&shares, 1, 0), "it has one")
        #expect(shares.used == 50)
    }

    @Test("Nobody is remembered who holds nothing")
    func memory() {
        var shares = FairShares<Int>(ShareRule(capacity: 10))
        for holder in 0..<10_000 {
            #expect(take(&shares, 1, holder))
            shares.gaveBack(5, by: holder)
            #expect(shares.holders == 0)
        }
        #expect(shares.used == 0)
    }

    @Test("More than a half is tight")
    func tight() {
        var shares = FairShares<Int>(ShareRule(capacity: 10))
        #expect(take(&shares, 5, 1))
        #expect(!shares.isTight)
        #expect(take(&shares, 1, 2))
        #expect(shares.isTight)
    }
}
