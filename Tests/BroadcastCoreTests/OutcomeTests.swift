import BroadcastCore
import PushProtocol
import Testing
import TimeCore

@Suite("What an outcome means for a broadcast")
struct OutcomeTests {
    /// The tally after a single device was pushed until nothing is left to try, and how often it was tried.
    private func fate(_ event: PushEvent, _ outcome: PushOutcome) -> (
        tally: BroadcastTally, tries: Int, page: PageResult?
    ) {
        var core = Stage.core(event, devices: 1)
        var tries = 0
        var now = Stage.start
        while true {
            if core.sendNext(outcome, at: now) {
                tries += 1
            } else if let next = core.nextRetry {
                now = next
            } else {
                break
            }
        }
        return (core.tally, tries, core.takeFinishedPages().first)
    }

    @Test(
        "Invariant 1: a single device ends in exactly one number, after as many tries as its reason allows",
        arguments: [
            (PushEvent.start, PushOutcome.accepted, "", 1),
            (.start, Stage.badToken, "BadDeviceToken", 1),
            (.start, Stage.rejected(400, .deviceTokenNotForTopic), "DeviceTokenNotForTopic", 1),
            (.update, Stage.rejected(410, .unregistered, since: 5), "Unregistered", 1),
            (.start, Stage.rejected(413, .payloadTooLarge), "PayloadTooLarge", 1),
            (.start, Stage.rejected(400, .badTopic), "BadTopic", 1),
            (.start, Stage.rejected(403, .invalidProviderToken), "InvalidProviderToken", 1),
            (.start, Stage.rejected(403, .expiredProviderToken), "ExpiredProviderToken", 2),
            (.start, Stage.rejected(400, .idleTimeout), "IdleTimeout", 6),
            (.start, Stage.busy, "ServiceUnavailable", 6),
            (.update, Stage.rejected(429, .tooManyRequests), "TooManyRequests", 6),
            (.update, Stage.rejected(500, .missing), "Status500", 6),
            (.update, Stage.rejected(418, .unknown("Teapot")), "Teapot", 1),
            (.update, Stage.rejected(418, .unknown("Tea pot=1")), "Status418", 1),
            (.start, .unsent(.noCapacity, mayHaveBeenDelivered: false), "NoConnection", 6),
            (.start, .unsent(.noConnection("refused"), mayHaveBeenDelivered: false), "NoConnection", 6),
            (.start, .unsent(.refusedTooOften, mayHaveBeenDelivered: false), "Refused", 6),
            (.start, .unsent(.unsendable, mayHaveBeenDelivered: false), "Unsendable", 1),
            (.update, Stage.lost, "NoAnswer", 6),
            (.end, .unsent(.timedOut, mayHaveBeenDelivered: true), "NoAnswer", 6),
            (.end, .unsent(.streamReset(2), mayHaveBeenDelivered: true), "NoAnswer", 6),
        ] as [(PushEvent, PushOutcome, String, Int)])
    func single(event: PushEvent, outcome: PushOutcome, reason: String, tries: Int) {
        let result = fate(event, outcome)
        #expect(result.tries == tries)
        #expect(result.tally.accepted == (reason.isEmpty ? 1 : 0))
        #expect(result.tally.failed == (reason.isEmpty ? [:] : [reason: 1]))
        #expect(result.tally.superseded == 0)
        #expect(result.page?.accepted == (reason.isEmpty ? [0] : []))
        #expect(result.page?.failed == (reason.isEmpty ? [] : [0]))
    }

    @Test(
        "Invariant 3: a start that may have been delivered is unknown and never sent again",
        arguments: [
            UnsentCause.timedOut, .connectionLost("x"), .streamReset(8), .shutDown, .noCapacity,
        ])
    func unknown(cause: UnsentCause) {
        let result = fate(.start, .unsent(cause, mayHaveBeenDelivered: true))
        #expect(result.tries == 1)
        #expect(result.tally.failed == ["unknown": 1])
        #expect(result.page?.unknown == [0] && result.page?.failed == [])
    }

    @Test("Invariant 6: what a client that shuts down has not sent is left to another gateway")
    func shutDown() {
        for (event, wasWritten) in [(PushEvent.start, false), (.update, false), (.update, true), (.end, true)] {
            let result = fate(event, .unsent(.shutDown, mayHaveBeenDelivered: wasWritten))
            #expect(result.tries == 1 && result.tally == BroadcastTally())
            #expect(result.page?.left == 1 && result.page?.failed == [])
        }
    }

    @Test("A dead token is handed on with the provider's time")
    func deadToken() {
        let dead = fate(.start, Stage.rejected(410, .unregistered, since: 1234)).page?.dead
        #expect(dead?.map(\.index) == [0] && dead?.map(\.since) == [1234])
        #expect(dead?.map(\.token) == [Stage.token(0, 0)])
        #expect(fate(.start, Stage.rejected(410, .missing)).page?.dead.map(\.since) == [nil])
    }

    @Test("Invariant 4: waits double up to the longest, half of them by chance")
    func waits() {
        for (jitter, expected) in [(0.0, [250, 500, 1000, 1500, 1500]), (0.999_999, [500, 1000, 2000, 3000, 3000])] {
            var core = Stage.core(.update, devices: 1) { $0.longestWait = .seconds(3) }
            var now = Stage.start
            var waits: [Int] = []
            while core.sendNext(Stage.busy, at: now, jitter: jitter), let next = core.nextRetry {
                waits.append(Int((next - now).millisecondsRoundedUp))
                let tooEarly = MonotonicTime(nanoseconds: next.nanoseconds - 1)
                core.expectNothingToPush(tooEarly)
                now = next
            }
            #expect(waits == expected)
            #expect(core.isFinished && core.tally.failures == 1)
        }
    }

    @Test("Invariant 4: what the provider asks to wait is waited, and beyond the window it is not tried again")
    func retryAfter() {
        var core = Stage.core(.update, devices: 1)
        core.send(Stage.rejected(429, .tooManyRequests, retryAfter: 20), at: Stage.start)
        #expect(core.nextRetry == Stage.start + .seconds(20))
        core.send(Stage.rejected(429, .tooManyRequests, retryAfter: 40), at: Stage.start + .seconds(20))
        #expect(core.nextRetry == nil && core.isFinished)
        #expect(core.tally.failed == ["TooManyRequests": 1])
    }

    @Test("A push that the client refused was no attempt, and is due again at once")
    func refused() throws {
        var core = Stage.core(.start, devices: 2) { $0.attempts = 1 }
        for _ in 0..<50 {
            let tag = try core.next(Stage.start)
            #expect(Array(core.target(tag).token) == Stage.token(0, 0))
            core.pushRefused(tag, now: Stage.start)
            #expect(core.inFlight == 0 && core.nextRetry == Stage.start)
        }
        core.send(.accepted, at: Stage.start)
        core.send(.accepted, at: Stage.start)
        #expect(core.tally.accepted == 2 && core.isFinished)
    }
}
