import ShareCore
import TestSupport
import Testing

/// Shares of what several gateways use, against one count of all that is really in use.
@Suite("Shares of what is heard of later") struct ObservedShareTests {
    private func letIn(_ shares: inout ObservedShares<String>, _ holder: String, used: Int) -> Bool {
        shares.letIn(holder, used: used)
    }

    @Test("Who is let in counts at once, whether it begins or not")
    func held() {
        var shares = ObservedShares<String>(ShareRule(capacity: 10, favorsNewcomers: true), places: 4)
        for _ in 0..<8 { #expect(letIn(&shares, "a", used: 0)) }
        #expect(!letIn(&shares, "a", used: 0))
        #expect(shares.refusals == 1)
        shares.settled("a")
        #expect(letIn(&shares, "a", used: 0))
        // It begins: the hold goes, and what began counts in its place.
        shares.began("a", in: 2)
        shares.settled("a")
        #expect(shares.held(by: "a") == 8)
        #expect(!letIn(&shares, "a", used: 1))
        shares.heard([:], in: 2)
        #expect(letIn(&shares, "a", used: 0))
    }

    @Test("What others have is heard of, place by place, and a newcomer gets one whatever it is")
    func heard() {
        var shares = ObservedShares<String>(ShareRule(capacity: 10, favorsNewcomers: true), places: 2)
        shares.heard(["a": 7, "b": 1], in: 0)
        shares.heard(["a": 4], in: 1)
        #expect(shares.held(by: "a") == 11)
        #expect(!letIn(&shares, "a", used: 12))
        #expect(!letIn(&shares, "b", used: 12))
        #expect(letIn(&shares, "c", used: 12))
        #expect(!letIn(&shares, "c", used: 12))
        shares.heard(["b": 1], in: 0)
        #expect(shares.held(by: "a") == 4)
        #expect(letIn(&shares, "b", used: 5))
    }

    @Test(
        "However it goes, what is held is what is in use and let in, and nobody else is remembered", arguments: 0..<20)
    func walk(_ number: Int) {
        var generator = TestSeed.generator(UInt64(number))
        var shares = ObservedShares<Int>(ShareRule(capacity: 20, favorsNewcomers: true), places: 3)
        var places = Array(repeating: [Int: Int](), count: 3)
        var held: [Int: Int] = [:]
        var admitted = 0
        for step in 0..<2_000 {
            let holder = Int.random(in: 0..<6, using: &generator)
            let place = Int.random(in: 0..<3, using: &generator)
            let used = places.flatMap(\.values).reduce(0, +)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                let mine = places.map { $0[holder] ?? 0 }.reduce(0, +) + (held[holder] ?? 0)
                let left = 20 - used - held.values.reduce(0, +) - 1
                let expected = mine == 0 || left >= 1 && mine + 1 <= 8 * left
                let isIn = shares.letIn(holder, used: used)
                #expect(isIn == expected, "step \(step)")
                if isIn {
                    held[holder, default: 0] += 1
                    admitted += 1
                }
            case 2:
                guard (held[holder] ?? 0) > 0 else { continue }
                held[holder, default: 0] -= 1
                if Bool.random(using: &generator) {
                    places[place][holder, default: 0] += 1
                    shares.began(holder, in: place)
                }
                shares.settled(holder)
            default:
                places[place] = places[place].filter { _ in Bool.random(using: &generator) }
                shares.heard(places[place], in: place)
            }
            for holder in 0..<6 {
                let mine = places.map { $0[holder] ?? 0 }.reduce(0, +) + (held[holder] ?? 0)
                #expect(shares.held(by: holder) == mine, "step \(step)")
            }
            let busy = Set(places.flatMap(\.keys)).union(held.filter { $0.value > 0 }.keys)
            #expect(shares.holders == busy.count, "step \(step)")
        }
        #expect(admitted > 50)
    }
}
