import TestSupport
import Testing

@testable import RedisClient

@Suite struct RingTests {
    @Test func aRingKeepsTheOrderOfAQueue() {
        let seed = TestSeed.current
        print("seed \(seed)")
        var state = seed
        var ring = Ring<Int>()
        var model: [Int] = []
        for number in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let phase = number / 2_000 % 2 == 0
            if (state >> 33) % 3 < (phase ? 2 : 1) {
                ring.append(number)
                model.append(number)
            } else {
                let popped = ring.popFirst()
                #expect(popped == model.first)
                if !model.isEmpty { model.removeFirst() }
            }
            guard ring.count == model.count else {
                Issue.record("count \(ring.count), not \(model.count), seed \(seed)")
                return
            }
        }
        var seen: [Int] = []
        ring.forEach { place, element in
            #expect(place == seen.count)
            seen.append(element)
            element += 1
        }
        #expect(seen == model)
        #expect(ring.popFirst() == model.first.map { $0 + 1 })
    }
}
