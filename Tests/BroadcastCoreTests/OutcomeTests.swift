import APNsCore
import BroadcastCore
import Delivery
import Testing
import TimeCore

@Suite("What an outcome means for a broadcast")
struct OutcomeTests {
    /// Pushes to a single device for an hour or until no retry is left. Returns the tally, the number of tries and the
    /// page's result.
    private func status(_ event: PushEvent, _ outcome: PushOutcome) -> (
        tally: BroadcastTally, tries: Int, page: PageResult?
    ) {
        var core = Stage.core(event, devices: 1)
        var tries = 0
        var now = Stage.start
        while now - Stage.start < .seconds(3600) {
            if core.sendNext(outcome, at: now) {
                tries += 1
            } else if let next = core.nextRetry {
                now = next
            } else {
                break
            }
        }
        core.stop(.stopped(reason: "Expired"))
        return (core.tally, tries, core.takeResults().first)
    }

    @Test(
        "Invariant 1: a single device ends in exactly one number; what may help is tried until the content is stale",
        arguments: [
            (PushEvent.start, PushOutcome.accepted, "", false),
            (.start, Stage.badToken, "BadDeviceToken", false),
            (.start, Stage.rejected(400, .deviceTokenNotForTopic), "DeviceTokenNotForTopic", false),
            (.update, Stage.rejected(410, .unregistered, since: 5), "Unregistered", false),
            (.start, Stage.rejected(413, .payloadTooLarge), "PayloadTooLarge", false),
            (.start, Stage.rejected(400, .badPriority), "BadPriority", false),
            (.start, Stage.rejected(400, .badTopic), "BadTopic", true),
            (.start, Stage.rejected(403, .invalidProviderToken), "InvalidProviderToken", true),
            (.start, Stage.rejected(403, .unknown("Whatever")), "Whatever", true),
            (.start, Stage.rejected(403, .missing), "Status403", true),
            (.start, Stage.rejected(403, .expiredProviderToken), "ExpiredProviderToken", true),
            (.start, Stage.rejected(400, .idleTimeout), "IdleTimeout", true),
            (.start, Stage.busy, "ServiceUnavailable", true),
            (.update, Stage.rejected(429, .tooManyRequests), "TooManyRequests", true),
            (.update, Stage.rejected(500, .missing), "Status500", true),
            (.update, Stage.rejected(418, .unknown("Teapot")), "Teapot", false),
            (.update, Stage.rejected(418, .unknown("Tea pot=1")), "Status418", false),
            (.update, Stage.rejected(404, .unknown("TEA_POT")), "TEA_POT", false),
            (.start, .unsent(.noCapacity, mayHaveBeenDelivered: false), "Expired", true),
            (.start, .unsent(.noConnection("refused"), mayHaveBeenDelivered: false), "Expired", true),
            (.start, .unsent(.refusedTooOften, mayHaveBeenDelivered: false), "Expired", true),
            (.start, .unsent(.unsendable, mayHaveBeenDelivered: false), "Unsendable", false),
            (.update, Stage.lost, "NoAnswer", true),
            (.end, .unsent(.timedOut, mayHaveBeenDelivered: true), "NoAnswer", true),
            (.end, .unsent(.streamReset(2), mayHaveBeenDelivered: true), "NoAnswer", true),
        ] as [(PushEvent, PushOutcome, String, Bool)])
    func single(event: PushEvent, outcome: PushOutcome, reason: String, isTriedAgain: Bool) {
        let result = status(event, outcome)
        // The first retries come quickly; later ones come once a minute.
        #expect(isTriedAgain ? (60...200).contains(result.tries) : result.tries == 1)
        #expect(result.tally.accepted == (reason.isEmpty ? 1 : 0))
        #expect(result.tally.failed == (reason.isEmpty ? [:] : [reason: 1]))
        #expect(result.tally.superseded == 0)
        #expect(result.page?.accepted == (reason.isEmpty ? [0] : []))
        #expect(result.page?.failed == (reason.isEmpty || reason == "Expired" ? [] : [0]))
        #expect(result.page?.unsent == (reason == "Expired" ? [0] : []))
    }

    @Test(
        "Invariant 3: a start that may have been delivered is unknown and never sent again",
        arguments: [
            UnsentCause.timedOut, .connectionLost("x"), .streamReset(8), .shutDown, .noCapacity,
        ])
    func unknown(cause: UnsentCause) {
        let result = status(.start, .unsent(cause, mayHaveBeenDelivered: true))
        #expect(result.tries == 1)
        #expect(result.tally.failed == ["unknown": 1])
        #expect(result.page?.unknown == [0] && result.page?.failed == [])
    }

    @Test("Invariant 6: what a client that shuts down has not sent is left to another gateway")
    func shutDown() {
        for (event, wasWritten) in [(PushEvent.start, false), (.update, false), (.update, true), (.end, true)] {
            let result = status(event, .unsent(.shutDown, mayHaveBeenDelivered: wasWritten))
            #expect(result.tries == 1 && result.tally == BroadcastTally())
            #expect(result.page?.left == 1 && result.page?.failed == [])
        }
    }

    @Test("A dead token is handed on with the provider's time")
    func deadToken() {
        let dead = status(.start, Stage.rejected(410, .unregistered, since: 1234)).page?.dead
        #expect(dead?.map(\.index) == [0] && dead?.map(\.since) == [1234])
        #expect(dead?.map(\.token) == [Stage.token(0, 0)])
        #expect(status(.start, Stage.rejected(410, .missing)).page?.dead.map(\.since) == [nil])
    }

    @Test("Invariant 4: waits double up to the longest, half of them by chance")
    func waits() {
        for (jitter, expected) in [(0.0, [250, 500, 1000, 1500, 1500]), (0.999_999, [500, 1000, 2000, 3000, 3000])] {
            var core = Stage.core(.update, devices: 1) { $0.backoff.longest = .seconds(3) }
            var now = Stage.start
            var waits: [Int] = []
            while waits.count < 5, core.sendNext(Stage.busy, at: now, jitter: jitter), let next = core.nextRetry {
                waits.append(Int((next - now).millisecondsRoundedUp))
                let tooEarly = MonotonicTime(nanoseconds: next.nanoseconds - 1)
                core.expectNothingToPush(tooEarly)
                now = next
            }
            #expect(waits == expected)
        }
    }

    @Test("Invariant 4: what the provider asks to wait is waited, a minute at most")
    func retryAfter() {
        var core = Stage.core(.update, devices: 1)
        core.send(Stage.rejected(429, .tooManyRequests, retryAfter: 20), at: Stage.start)
        #expect(core.nextRetry == Stage.start + .seconds(20))
        core.send(Stage.rejected(429, .tooManyRequests, retryAfter: 400), at: Stage.start + .seconds(20))
        #expect(core.nextRetry == Stage.start + .seconds(80) && !core.isFinished)
    }

    @Test("A push that the client refused was no attempt, and is due again at once")
    func refused() throws {
        var core = Stage.core(.start, devices: 2)
        for _ in 0..<50 {
            let tag = try core.next(Stage.start)
            let target = core.target(tag)
            #expect(Array(target.token) == Stage.token(0, 0))
            core.pushRefused(tag)
            #expect(core.inFlight == 0 && core.notedAhead == 1)
        }
        core.send(.accepted, at: Stage.start)
        core.send(.accepted, at: Stage.start)
        #expect(core.tally.accepted == 2 && core.isFinished)
    }

    @Test("Pushes that are given back, the last one first, come again in their order and before all others")
    func givenBack() throws {
        for event in [PushEvent.start, .update] {
            var core = Stage.core(event, devices: 9)
            if let run = core.runToNote(now: Stage.start, limit: 9) { core.runNoted(run) }
            let given = (0..<6).compactMap { _ in core.nextPush(now: Stage.start) }
            for tag in given[2...].reversed() { core.pushRefused(tag) }
            let next = (0..<9).compactMap { _ in core.nextPush(now: Stage.start) }
            var indexes: [UInt16] = []
            for tag in next { indexes.append(core.target(tag).index) }
            #expect(indexes == Array(2..<9))
            #expect(core.inFlight == 9)
            for tag in given[..<2] + next { core.pushAccepted(tag) }
            #expect(core.isFinished && core.tally.accepted == 9)
        }
    }

    @Test("A token of another app or environment is told, so that it is set aside")
    func quarantined() {
        let page = status(.start, Stage.badToken).page
        #expect(page?.quarantined.map(\.token) == [Stage.token(0, 0)] && page?.dead.isEmpty == true)
    }
}
