import ShareCore
import TestSupport
import Testing

/// Shares of several gateways, compared with a count of all real uses.
@Suite("Shares of what is heard of later") struct ObservedShareTests {
    private func shares(places: Int) -> ObservedShares<String> {
        ObservedShares(ShareRule(capacity: 10, favorsNewcomers: true), places: places)
    }

    private func letIn(_ shares: inout ObservedShares<String>, _ holder: String, idle: Int = 0) -> Bool {
        shares.letIn(holder, idle: idle)
    }

    @Test("Who is let in counts at once, whether it begins or not")
    func held() {
        var shares = shares(places: 4)
        for _ in 0..<8 { #expect(letIn(&shares, "a")) }
        #expect(!letIn(&shares, "a"))
        #expect(shares.refusals == 1)
        shares.settled("a")
        #expect(letIn(&shares, "a"))
        // The use begins and replaces its hold.
        shares.began("a", in: 2)
        shares.settled("a")
        #expect(shares.held(by: "a") == 8)
        #expect(shares.used == 1)
        #expect(!letIn(&shares, "a"))
        shares.heard([:], used: 0, in: 2, asked: shares.question)
        #expect(shares.used == 0)
        #expect(letIn(&shares, "a"))
    }

    @Test("What others have is heard of, place by place, and a newcomer gets one whatever it is")
    func heard() {
        var shares = shares(places: 2)
        shares.heard(["a": 7, "b": 1], used: 8, in: 0, asked: shares.question)
        shares.heard(["a": 4], used: 4, in: 1, asked: shares.question)
        #expect(shares.held(by: "a") == 11)
        #expect(!letIn(&shares, "a"))
        #expect(!letIn(&shares, "b"))
        #expect(letIn(&shares, "c"))
        #expect(!letIn(&shares, "c"))
        shares.heard(["b": 1], used: 1, in: 0, asked: shares.question)
        #expect(shares.held(by: "a") == 4)
        #expect(letIn(&shares, "b"))
    }

    @Test("What is of unknown holders takes room, and what is idle does not")
    func unknownAndIdle() {
        var shares = shares(places: 1)
        shares.heard(["a": 1], used: 10, in: 0, asked: shares.question)
        #expect(!letIn(&shares, "a"))
        #expect(letIn(&shares, "a", idle: 9))
    }

    @Test("An answer that was asked for before something began does not lose it, and an overtaken one says nothing")
    func beganMeanwhile() {
        var shares = shares(places: 1)
        let early = shares.question
        shares.began("a", in: 0)
        let late = shares.question
        shares.heard([:], used: 0, in: 0, asked: early)
        #expect(shares.held(by: "a") == 1)
        #expect(shares.used == 1)
        shares.heard(["a": 1], used: 1, in: 0, asked: late)
        #expect(shares.held(by: "a") == 1)
        #expect(shares.used == 1)
        shares.heard([:], used: 0, in: 0, asked: early)
        #expect(shares.held(by: "a") == 1)
    }

    /// A use whose start may not be known yet.
    private struct Use {
        let holder: Int
        let place: Int
        var isKnown: Bool
    }

    /// A request to a place, which answers with the uses at some time.
    private struct Inquiry {
        let place: Int
        let question: ObservedShares<Int>.Question
        var answer: [Int: Int]?
    }

    @Test(
        "However it goes, all that was let in here counts, nothing counts for ever, and nobody else is remembered",
        arguments: 0..<20)
    func walk(_ number: Int) {
        var generator = TestSeed.generator(UInt64(number))
        var shares = ObservedShares<Int>(ShareRule(capacity: 20, favorsNewcomers: true), places: 3)
        var uses: [Use] = []
        var inquiries: [Inquiry] = []
        var held: [Int: Int] = [:]
        var admitted = 0
        func counts(in place: Int) -> [Int: Int] {
            uses.reduce(into: [:]) { if $1.place == place { $0[$1.holder, default: 0] += 1 } }
        }
        func hear(_ inquiry: Inquiry) {
            let answer = inquiry.answer ?? counts(in: inquiry.place)
            shares.heard(answer, used: answer.values.reduce(0, +), in: inquiry.place, asked: inquiry.question)
        }
        for step in 0..<2_000 {
            let holder = Int.random(in: 0..<6, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1:
                let mine = shares.held(by: holder)
                let left = 20 - shares.used - held.values.reduce(0, +) - 1
                let expected = mine == 0 || left >= 1 && mine + 1 <= 8 * left
                let isIn = shares.letIn(holder)
                #expect(isIn == expected, "step \(step)")
                if isIn {
                    held[holder, default: 0] += 1
                    admitted += 1
                }
            case 2:
                // An admitted use starts. Its start becomes known later.
                let open = uses.count { $0.holder == holder && !$0.isKnown }
                guard (held[holder] ?? 0) > open else { continue }
                uses.append(Use(holder: holder, place: Int.random(in: 0..<3, using: &generator), isKnown: false))
            case 3:
                guard let index = uses.firstIndex(where: { !$0.isKnown }) else { continue }
                uses[index].isKnown = true
                shares.began(uses[index].holder, in: uses[index].place)
                held[uses[index].holder, default: 0] -= 1
                shares.settled(uses[index].holder)
            case 4:
                guard let index = uses.indices.filter({ uses[$0].isKnown }).randomElement(using: &generator) else {
                    continue
                }
                uses.remove(at: index)
            case 5:
                inquiries.append(
                    Inquiry(place: Int.random(in: 0..<3, using: &generator), question: shares.question))
            case 6:
                guard let index = inquiries.indices.randomElement(using: &generator) else { continue }
                if inquiries[index].answer == nil { inquiries[index].answer = counts(in: inquiries[index].place) }
            default:
                // Answers arrive in any order.
                guard let index = inquiries.indices.randomElement(using: &generator) else { continue }
                hear(inquiries.remove(at: index))
            }
            for holder in 0..<6 {
                let known = uses.count { $0.holder == holder && $0.isKnown }
                #expect(shares.held(by: holder) >= known + (held[holder] ?? 0), "step \(step)")
            }
            #expect(shares.used >= uses.count { $0.isKnown }, "step \(step)")
        }
        for place in 0..<3 { hear(Inquiry(place: place, question: shares.question)) }
        #expect(shares.used == uses.count)
        for holder in 0..<6 {
            #expect(shares.held(by: holder) == uses.count { $0.holder == holder } + (held[holder] ?? 0))
        }
        #expect(shares.holders == Set(uses.map(\.holder)).union(held.filter { $0.value > 0 }.keys).count)
        #expect(admitted > 50)
    }
}
