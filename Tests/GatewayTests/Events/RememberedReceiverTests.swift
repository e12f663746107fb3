import EventCore
import Testing
import TimeCore

@testable import Webhooks

@Suite("What is remembered of receivers")
struct RememberedReceiverTests {
    @Test("One that was tried for a quarter of an hour, any as long as something is under way to it, and no other")
    func remembered() {
        let tried = MonotonicTime(nanoseconds: 0) + .seconds(10_000)
        var receiver = WebhookDispatcher.Receiver(health: ReceiverHealth())
        #expect(!receiver.isRemembered(tried) && !receiver.isInUse)
        receiver.triedAt = tried
        #expect(receiver.isRemembered(tried + .seconds(899)) && !receiver.isInUse)
        #expect(!receiver.isRemembered(tried + .seconds(900)))
        receiver.isBeingFed = true
        #expect(receiver.isInUse)
        receiver.isBeingFed = false
        receiver.underWay = ["event"]
        #expect(receiver.isInUse)
    }
}
