import ShareCore
import Testing
import TimeCore

@Suite("The pace of an upload") struct UploadPaceTests {
    @Test("Who trickles is found when it has been waited for so long")
    func trickle() {
        var pace = UploadPace(slowest: 100)
        for _ in 0..<29 {
            pace.received(10, after: .seconds(1))
            #expect(!pace.isTooSlow(after: .milliseconds(999)))
        }
        #expect(pace.patience == .seconds(1))
        #expect(pace.isTooSlow(after: .seconds(1)))
        // The upload stays too slow until a whole window was fast enough.
        pace.received(10, after: .seconds(1))
        #expect(pace.isTooSlow(after: .milliseconds(1)))
        pace.received(100_000, after: .seconds(1))
        #expect(pace.isTooSlow(after: .milliseconds(1)))
        pace.received(0, after: .seconds(29))
        #expect(!pace.isTooSlow(after: .milliseconds(1)))
    }

    @Test("Who sends enough may pause and go on for ever")
    func steady() {
        var pace = UploadPace(slowest: 100)
        for _ in 0..<100 {
            #expect(!pace.isTooSlow(after: .seconds(19)))
            pace.received(4_000, after: .seconds(19))
        }
    }

    @Test("What was sent long ago does not help whoever trickles now")
    func afterABurst() {
        var pace = UploadPace(slowest: 100)
        pace.received(1_000_000_000, after: .seconds(30))
        pace.received(2_000, after: .seconds(29))
        #expect(pace.isTooSlow(after: .seconds(2)))
    }

    @Test("The time in which it is not waited for does not count, and a pace of 0 is any")
    func any() {
        var pace = UploadPace(slowest: 0)
        #expect(pace.patience == nil)
        pace.received(0, after: .seconds(1_000))
        #expect(!pace.isTooSlow(after: .seconds(1_000)))
        #expect(UploadPace(slowest: 1, window: .seconds(5)).patience == .seconds(5))
    }
}
