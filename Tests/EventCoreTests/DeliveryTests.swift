import EventCore
import Testing
import TimeCore

@Suite("When deliveries are tried")
struct DeliveryTests {
    private let begin = WallTime(seconds: 1_800_000_000)

    @Test("Tries come ever more rarely, the last when a day is over, and then no more")
    func schedule() throws {
        var (now, attempts, times) = (begin, 0, [Int64]())
        while let next = RetrySchedule.next(afterAttempts: attempts + 1, since: begin, now: now, jitter: 0) {
            attempts += 1
            #expect(next > now)
            now = next
            times.append(now.seconds - begin.seconds)
            try #require(attempts < 100)
        }
        #expect(times == [5, 305, 2105, 9305, 27_305, 63_305, 86_400])
    }

    @Test("Jitter adds up to a fifth, and what the receiver asks for counts up to an hour")
    func jitter() {
        func seconds(_ retryAfter: TimeInterval?, _ jitter: Double) -> Double? {
            RetrySchedule.next(
                afterAttempts: 2, since: begin, now: begin, retryAfter: retryAfter, jitter: jitter
            ).map { Double($0.milliseconds - begin.milliseconds) / 1000 }
        }
        #expect(seconds(nil, 0) == 300 && seconds(nil, 0.5) == 330 && seconds(nil, 1) == 360)
        #expect(seconds(.seconds(1000), 0) == 1000 && seconds(.seconds(10), 0) == 300)
        #expect(seconds(.seconds(100_000), 0) == 3600)
        #expect(seconds(nil, .nan) != nil && seconds(nil, -7) == 300)
    }

    @Test("After five failures in a row there are only probes, ever more rarely, until one succeeds")
    func health() {
        var health = ReceiverHealth()
        var now = begin
        for number in 1...5 {
            #expect(health.room(underWay: 0, now: now) == 4 && health.room(underWay: 3, now: now) == 1, "\(number)")
            health.failed(now: now, jitter: 0)
        }
        #expect(health.isProbing)
        var pauses: [Int] = []
        for _ in 0..<8 {
            var pause = 0
            while health.room(underWay: 0, now: now) == 0, pause < 1000 {
                now = now + .seconds(1)
                pause += 1
            }
            #expect(health.room(underWay: 0, now: now) == 1 && health.room(underWay: 1, now: now) == 0)
            pauses.append(pause)
            health.failed(now: now, jitter: 0)
        }
        #expect(pauses == [10, 20, 40, 80, 160, 300, 300, 300])
        health.delivered()
        #expect(!health.isProbing && health.room(underWay: 0, now: now) == 4)
    }

    @Test("A receiver that asks for time gets it")
    func retryAfter() {
        var health = ReceiverHealth()
        health.failed(now: begin, retryAfter: .seconds(60), jitter: 0)
        #expect(health.room(underWay: 0, now: begin + .seconds(59)) == 0)
        #expect(health.room(underWay: 0, now: begin + .seconds(60)) == 4)
    }

    /// 2026-11-28, 12:00 UTC.
    private static let noon = WallTime(seconds: 1_795_867_200)

    @Test(
        "Retry-After may be a date, which counts from the date of the answer",
        arguments: [
            ("Sat, 28 Nov 2026 12:01:00 GMT", nil, 60),
            ("Sat, 28 Nov 2026 12:01:00 GMT", "Sat, 28 Nov 2026 12:00:50 GMT", 10),
            ("Sat, 28 Nov 2026 12:01:00 GMT", "today", 60), ("Sat, 28 Nov 2026 11:00:00 GMT", nil, 0),
            ("5", "Sat, 28 Nov 2026 12:00:50 GMT", 5), ("28 Nov 2026", nil, nil), ("-5", nil, nil),
        ] as [(String, String?, Int?)])
    func retryAfterDate(_ text: String, _ date: String?, _ seconds: Int?) {
        for status in [429, 503] {
            let verdict = Verdict(status: status, retryAfter: text, sentAt: date, now: Self.noon)
            guard case .failed(_, let wait) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
            #expect(wait == seconds.map { .seconds($0) }, "\(text)")
        }
    }

    @Test("What answers mean")
    func verdicts() {
        for status in [200, 201, 202, 204, 299] {
            #expect(Verdict(status: status, retryAfter: nil, now: Self.noon) == .delivered)
        }
        #expect(Verdict(status: 410, retryAfter: nil, now: Self.noon) == .gone)
        func failed(_ kind: AttemptFailure.Kind, _ text: String, after: TimeInterval? = nil) -> Verdict {
            .failed(AttemptFailure(kind, text), retryAfter: after)
        }
        #expect(
            Verdict(status: 429, retryAfter: "7", now: Self.noon)
                == failed(.answered4xx, "answered 429", after: .seconds(7)))
        #expect(Verdict(status: 503, retryAfter: "soon", now: Self.noon) == failed(.answered5xx, "answered 503"))
        #expect(Verdict(status: 500, retryAfter: "7", now: Self.noon) == failed(.answered5xx, "answered 500"))
        for status in [100, 300, 301, 302, 307, 308, 400, 401, 404, 500, 599] {
            guard case .failed = Verdict(status: status, retryAfter: nil, now: Self.noon) else {
                Issue.record("\(status)")
                continue
            }
        }
    }

    @Test("What is signed, and how signatures are spelled")
    func signature() {
        let content = SignedContent.bytes(id: "evt_1", timestamp: 1_674_087_231, body: Array("{}".utf8))
        #expect(String(decoding: content, as: UTF8.self) == "evt_1.1674087231.{}")
        #expect(SignedContent.header(["abc=", "def="]) == "v1,abc= v1,def=")
    }

    @Test("Filters are kept as text")
    func filters() {
        #expect(EventFilter(text: "*") == .all)
        #expect(EventFilter(text: EventFilter.only([.started, .ended]).text) == .only([.started, .ended]))
    }
}
