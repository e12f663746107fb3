import APNsCore
import Delivery
import Testing
import TimeCore

@testable import BroadcastCore

@Suite("What waits for a device that is told to come again")
struct RestingTests {
    private static let busy = Stage.rejected(429, .tooManyRequests)

    /// Sends all due pushes. The first device of each page is answered with 429.
    private func send(_ core: inout BroadcastCore, at now: MonotonicTime) {
        while true {
            var isAtWork = false
            while let page = core.pageToRead() { core.pageRead(Stage.page(page, 3)) }
            while let tag = try? core.next(now) {
                let isBusy = core.target(tag).index == 0
                core.pushEnded(tag, isBusy ? Self.busy : .accepted, now: now, jitter: 0)
                isAtWork = true
            }
            if !isAtWork { return }
        }
    }

    @Test(
        "Invariant 2: pages of which a few devices wait for another try keep no page from being read",
        arguments: PushEvent.allCases)
    func everyPage(event: PushEvent) {
        var core = BroadcastCore(event: event, pages: Array(0..<50))
        send(&core, at: Stage.start)
        #expect(core.tally.accepted == 100 && !core.isFinished && core.isResting(now: Stage.start))
        #expect(core.hasManyPages == true)
        // Each of them has a retry.
        let tries = core.retries.removeAll().count
        #expect(tries == 50)
    }

    @Test("Invariant 2: there are only so many of them, and a page that many devices wait in is not one")
    func bounds() {
        for (devices, pages, expected) in [(1, 3, 5), (0, 3, 2), (1, 0, 2)] {
            var configuration = BroadcastCore.Configuration()
            configuration.openPages = 2
            configuration.restingPages = pages
            configuration.restingDevices = devices
            var core = BroadcastCore(event: .update, pages: Array(0..<20), configuration: configuration)
            send(&core, at: Stage.start)
            #expect(core.tally.accepted == 2 * expected, "\(devices) \(pages)")
            #expect(core.isResting(now: Stage.start) == false)
        }
    }

    @Test("A job rests while nothing is left but retries that are not due", arguments: [PushEvent.start, .update])
    func rests(event: PushEvent) throws {
        var core = Stage.core(event, devices: 2)
        #expect(core.isResting(now: Stage.start) == false && core.hasManyPages == false)
        core.send(Self.busy, at: Stage.start)
        #expect(core.isResting(now: Stage.start) == false)
        let last = try core.next(Stage.start)
        #expect(core.isResting(now: Stage.start) == false)
        core.pushAccepted(last)
        #expect(core.isResting(now: Stage.start) == true)
        let next = core.nextRetry
        let due = try #require(next)
        #expect(core.isResting(now: due) == false)
        core.send(Self.busy, at: due)
        #expect(core.isResting(now: due) == true)
        core.stop(.stopped(reason: "Expired"))
        #expect(core.isResting(now: due) == false && core.isFinished)
        #expect(core.tally.accepted == 1 && core.tally.failed == ["TooManyRequests": 1])
    }
}
