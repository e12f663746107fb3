import FeedCore
import Testing
import TimeCore

@Suite("The state of a feed")
struct FeedStateTests {
    private let times = FeedTimes(interval: .seconds(30))
    private let start = WallTime(seconds: 1_000_000)

    private func after(_ seconds: Double) -> WallTime { start + .seconds(seconds) }

    @Test("A feed is due at once, and then an interval after each poll began")
    func intervals() {
        var state = FeedState()
        #expect(state.isDue(now: start))
        state.succeeded(
            .taken(tag: "\"a\"", digest: [1], topics: 3, refused: 1, isSettled: true), began: start, now: after(2),
            times: times)
        #expect(state.dueAt == after(30) && state.succeededAt == after(2))
        #expect(!state.isDue(now: after(29.9)) && state.isDue(now: after(30)))
        #expect(state.tag == "\"a\"" && state.digest == [1] && state.topics == 3 && state.refused == 1)
        state.succeeded(.unchanged, began: after(30), now: after(75), times: times)
        // A poll that takes longer than the interval is followed by the next one, not by two.
        #expect(state.dueAt == after(75))
        #expect(state.tag == "\"a\"" && state.digest == [1] && state.topics == 3 && state.refused == 1)
    }

    @Test("What could be taken later is asked for again as a whole")
    func unsettled() {
        var state = FeedState()
        (state.tag, state.digest) = ("\"a\"", [1])
        state.succeeded(
            .taken(tag: "\"b\"", digest: [2], topics: 1, refused: 1, isSettled: false), began: start, now: start,
            times: times)
        #expect(state.tag == nil && state.digest == nil && state.refused == 1)
    }

    @Test("A failure changes nothing that is known, and pauses grow up to five minutes")
    func failures() {
        var state = FeedState()
        state.succeeded(
            .taken(tag: "\"a\"", digest: [1], topics: 3, refused: 0, isSettled: true), began: start, now: start,
            times: times)
        var pauses: [Double] = []
        var now = after(30)
        for _ in 0..<8 {
            // The whole pause.
            state.failed(.timeout, retryAfter: nil, now: now, times: times, random: 0)
            let low = Double((state.dueAt ?? now).milliseconds - now.milliseconds) / 1000
            pauses.append(low * 2)
            now = state.dueAt ?? now
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300])
        #expect(state.failures == 8 && state.failingSince == after(30) && state.failure == .timeout)
        #expect(state.tag == "\"a\"" && state.digest == [1] && state.topics == 3)
        #expect(state.succeededAt == start)
        state.succeeded(.unchanged, began: now, now: now, times: times)
        #expect(state.failures == 0 && state.failingSince == nil && state.failure == nil)
        #expect(state.dueAt == now + .seconds(30))
    }

    @Test("A wish for a pause is granted when it is longer, up to an hour")
    func retryAfter() {
        for (wish, pause) in [(1.0, 2.5), (20.0, 20.0), (3600.0, 3600.0), (90_000.0, 3600.0)] {
            var state = FeedState()
            state.failed(.server, retryAfter: .seconds(wish), now: start, times: times, random: 0)
            #expect(state.dueAt == after(pause), "\(wish)")
        }
    }

    @Test("A feed with a short interval is tried again within it, one with a long one not more often than it is polled")
    func otherIntervals() {
        #expect(FeedTimes(interval: .seconds(2)).backoff == Backoff(first: .seconds(2), longest: .seconds(300)))
        #expect(FeedTimes(interval: .seconds(3000)).backoff == Backoff(first: .seconds(5), longest: .seconds(3000)))
    }

    @Test(
        "What an answer's status means",
        arguments: [
            (200, true, FeedAnswer.whole), (304, true, .unchanged), (304, false, .failed(.redirect)),
            (204, true, .unchanged), (204, false, .unchanged), (205, true, .failed(.refused)),
            (301, true, .failed(.redirect)), (404, true, .failed(.refused)),
            (429, true, .failed(.refused)), (500, false, .failed(.server)), (503, true, .failed(.server)),
            (599, true, .failed(.server)), (600, true, .failed(.refused)),
        ])
    func answers(_ status: Int, _ wasConditional: Bool, _ answer: FeedAnswer) {
        #expect(FeedAnswer(status: status, wasConditional: wasConditional) == answer)
    }
}
