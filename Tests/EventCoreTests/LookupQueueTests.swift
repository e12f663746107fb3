import EventCore
import Testing

@Suite("The queue of name look-ups")
struct LookupQueueTests {
    /// Requests look-ups of `count` names for a tenant with slow name servers.
    private func ask(_ queue: inout LookupQueue, _ count: Int) -> [Int] {
        (0..<count).filter { queue.asked(UInt64($0), "slow\($0)", by: "a") }
    }

    @Test("A tenant has two look-ups at once, and what it waits for keeps nobody else from one")
    func bound() {
        var queue = LookupQueue()
        let begun = ask(&queue, 100)
        #expect(begun == [0, 1])
        let isAnothersBegun = queue.asked(100, "good", by: "b")
        #expect(isAnothersBegun && queue.underWay == 3 && queue.waiting == 98)
        let (told, next) = queue.ended("slow1")
        #expect(told == [1] && next == ["slow2"])
        // A tenant with two look-ups does not get the free place of another tenant.
        let afterAnother = queue.ended("good")
        #expect(afterAnother.told == [100] && afterAnother.begin.isEmpty)
    }

    @Test("One look-up of a name answers all who ask meanwhile, and those who still wait for it")
    func shared() {
        var queue = LookupQueue()
        let begun = ask(&queue, 2)
        // Tenant b starts the look-up for which tenant a has no place.
        let asked = [("a", UInt64(2)), ("b", 3), ("c", 4)].map { queue.asked($0.1, "hooks", by: $0.0) }
        #expect(begun == [0, 1] && asked == [false, true, false])
        let (told, next) = queue.ended("hooks")
        #expect(Set(told) == [2, 3, 4] && next.isEmpty && queue.waiting == 0)
        let isAnew = queue.asked(5, "hooks", by: "b")
        #expect(isAnew)
    }

    @Test("Who gives up in the queue is dropped; a look-up under way keeps its place until it has ended")
    func givenUp() {
        var queue = LookupQueue()
        let begun = ask(&queue, 4)
        let hadBegun = [queue.gaveUp(2), queue.gaveUp(0)]
        #expect(begun == [0, 1] && hadBegun == [false, true] && queue.underWay == 2)
        let (told, next) = queue.ended("slow0")
        #expect(told.isEmpty && next == ["slow3"])
    }

    @Test("Many tenants with slow name servers leave a look-up to one more")
    func many() {
        var queue = LookupQueue()
        var ticket: UInt64 = 0
        for tenant in 0..<15 {
            for name in 0..<10 {
                _ = queue.asked(ticket, "slow\(tenant).\(name)", by: "t\(tenant)")
                ticket += 1
            }
        }
        #expect(queue.underWay >= 28 && queue.underWay < LookupQueue.capacity)
        let isBegun = queue.asked(ticket, "good", by: "one more")
        #expect(isBegun)
    }
}
