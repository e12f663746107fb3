import EventCore
import Testing

@Suite("The queue of name look-ups")
struct LookupQueueTests {
    @Test("A tenant has two look-ups at once, and what it waits for keeps nobody else from one")
    func bound() {
        var queue = LookupQueue()
        let begun = (0..<100).filter { queue.asked(UInt64($0), "slow\($0)", by: "a") }
        #expect(begun == [0, 1])
        #expect(queue.asked(100, "good", by: "b"))
        #expect(queue.underWay == 3 && queue.waiting == 98)
        let (told, next) = queue.ended("slow1")
        #expect(told == [1] && next == ["slow2"])
        // Of another tenant's no place becomes its own.
        #expect(queue.ended("good").begin.isEmpty)
    }

    @Test("One look-up of a name answers all who ask meanwhile, and those who still wait for it")
    func shared() {
        var queue = LookupQueue()
        for ticket in 0..<2 { _ = queue.asked(UInt64(ticket), "slow\(ticket)", by: "a") }
        #expect(!queue.asked(2, "hooks", by: "a"))
        #expect(queue.asked(3, "hooks", by: "b"), "it does not wait for another tenant's place")
        #expect(!queue.asked(4, "hooks", by: "c"))
        let (told, next) = queue.ended("hooks")
        #expect(Set(told) == [2, 3, 4] && next.isEmpty && queue.waiting == 0)
        #expect(queue.asked(5, "hooks", by: "b"), "it is looked up anew")
    }

    @Test("Who gives up in the queue is dropped; a look-up under way keeps its place until it has ended")
    func givenUp() {
        var queue = LookupQueue()
        for ticket in 0..<4 { _ = queue.asked(UInt64(ticket), "slow\(ticket)", by: "a") }
        #expect(!queue.gaveUp(2), "it had not begun")
        #expect(queue.gaveUp(0))
        #expect(queue.underWay == 2)
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
        #expect(queue.asked(ticket, "good", by: "one more"))
    }
}
