import LiveActivity
import TerminalDisplay
import Testing
import TimeCore

@testable import LoadTest

@Suite("Statistics and reports")
struct ReportTests {
    private func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds)
    }

    /// Ten updates that succeed, due each 10 ms, sent late by a stall; and one each of what can go wrong.
    private func statistics() -> CallStatistics {
        var statistics = CallStatistics()
        func ended(_ kind: CallKind, _ outcome: CallOutcome, due: Int, sent: Int, at now: Int, clock: Bool = true) {
            statistics.callEnded(
                kind, outcome, due: time(due), sent: time(sent), at: time(now), isByTheClock: clock)
        }
        for index in 0..<10 {
            ended(.update, .answered(status: 200, body: []), due: index * 10, sent: 100, at: 110)
        }
        ended(.sync, .answered(status: 202, body: []), due: 0, sent: 0, at: 5, clock: false)
        let limit = Array(#"{"error":"slow","code":"RATE_LIMITED"}"#.utf8)
        ended(.start, .answered(status: 429, body: limit), due: 0, sent: 0, at: 1)
        ended(.start, .answered(status: 404, body: Array(#"{"code":"NOT_FOUND"}"#.utf8)), due: 0, sent: 0, at: 2)
        ended(.end, .answered(status: 500, body: Array("oops".utf8)), due: 0, sent: 0, at: 3)
        ended(.end, .timedOut, due: 0, sent: 0, at: 1000)
        ended(.end, .lost("the connection was reset"), due: 0, sent: 0, at: 1)
        statistics.callGivenUp(due: time(0), at: time(2000))
        statistics.callUnconnected("the connection was refused")
        return statistics
    }

    @Test("Every call is counted once")
    func counts() {
        let statistics = statistics()
        #expect(statistics.counts[.update] == .init(sent: 10, succeeded: 10))
        #expect(statistics.counts[.start] == .init(sent: 2, rateLimited: 1, refused: 1))
        #expect(statistics.counts[.end] == .init(sent: 3, refused: 1, unanswered: 2))
        #expect(statistics.sum(\.sent) == 16)
        #expect(statistics.neverSent == 2)
        #expect(statistics.ended == 18)
        #expect(statistics.statuses == [200: 10, 202: 1, 429: 1, 404: 1, 500: 1])
        #expect(statistics.codes == ["429 RATE_LIMITED": 1, "404 NOT_FOUND": 1, "500 without a code": 1])
        #expect(
            statistics.losses == [
                "no answer in time": 1, "the connection was reset": 1, "the connection was refused": 1,
            ])
    }

    @Test("The time since due holds the wait before sending; the time since sent does not")
    func latencies() {
        let phase = LoadReport.Phase("calls", statistics(), .init())
        let update = phase.kinds.first { $0.name == "update" }
        // Due at 0 to 90, answered at 110.
        #expect(isNear(update?.sinceDue.max, 110))
        #expect(isNear(update?.sinceDue.p50, 60))
        #expect(isNear(update?.sinceSent.max, 10) && isNear(update?.sinceSent.p50, 10))
    }

    @Test("Quick refusals and follow-ups make nothing look better; waits without an answer count")
    func all() {
        let phase = LoadReport.Phase("calls", statistics(), .init())
        // Ten updates, the 404, the 500, the timeout, and the call that was never sent.
        #expect(phase.all.sinceDue.count == 14)
        #expect(isNear(phase.all.sinceDue.max, 2000))
        #expect(phase.rateLimitedAnswers.sinceDue.count == 1 && phase.refusedAnswers.sinceDue.count == 2)
        #expect(isNear(phase.kinds.first { $0.name == "end" }?.sinceDue.max, 1000))
        #expect(phase.kinds.first { $0.name == "end" }?.sinceDue.count == 1)
    }

    @Test("Codes that never end are counted together, so that a report stays short")
    func manyCodes() {
        var statistics = CallStatistics()
        for number in 0..<500 {
            let body = Array(#"{"code":"C\#(number)"}"#.utf8)
            statistics.callEnded(
                .sync, .answered(status: 400, body: body), due: time(0), sent: time(0), at: time(1), isByTheClock: true)
        }
        #expect(statistics.codes.count == 65)
        #expect(statistics.codes["others"] == 436)
    }

    @Test("The report for people names everything that went wrong, and who was late and why")
    func text() {
        var phase = LoadReport.Phase(
            "calls", statistics(),
            Pacer.Punctuality(late: 9, heldByBound: 5, heldByPlayer: 3, worst: .milliseconds(100)))
        phase.isByTheClock = true
        phase.inFlight = 4
        phase.seconds = 2
        var report = LoadReport(target: "http://127.0.0.1:8080")
        report.phases = [phase]
        #expect(report.failed == 7 && report.rateLimited == 1)
        let text = report.text(.plain)
        for line in [
            "rate-limited (429)", "429 RATE_LIMITED", "404 NOT_FOUND", "no answer in time", "the connection was reset",
            "due, but never sent", "9, by up to 100 ms", "in-flight limit (4)", "nothing to call",
            "connections or generator", "From the due time", "From sending", "14 in 2.00 s, 7 /s",
            "to follow-up calls",
        ] {
            #expect(text.contains(line), "\(line) is missing in\n\(text)")
        }
    }

    @Test("The report for programs is JSON whose sums agree")
    func json() throws {
        var phase = LoadReport.Phase("calls", statistics(), .init(late: 1, heldByBound: 1))
        phase.notes = ["a \"note\""]
        var report = LoadReport(target: "http://127.0.0.1:8080")
        report.phases = [phase]
        let root = try JSONDocument(parsing: report.json).root
        #expect(try root.member("ok")?.bool == false)
        #expect(try root.member("failed")?.int64 == 7)
        let first = try #require(try root.member("phases")?.elements.first { _ in true })
        func number(_ name: String) throws -> Int64 { try #require(try first.member(name)?.int64) }
        let parts = try ["succeeded", "rate_limited", "refused", "unanswered"].map(number).reduce(0, +)
        #expect(try number("sent") == parts)
        #expect(try number("never_sent") == 2)
        #expect(try first.member("late")?.member("held_by_in_flight_limit")?.int64 == 1)
        var sent: Int64 = 0
        for row in try #require(try first.member("calls")).elements { sent += try row.member("sent")?.int64 ?? 0 }
        #expect(try number("sent") == sent)
    }

    @Test("A report without a single call is whole and says so")
    func empty() throws {
        var report = LoadReport(target: "http://127.0.0.1:8080")
        report.phases = [LoadReport.Phase("calls", CallStatistics(), .init())]
        #expect(report.text(.plain).contains("0 in 0 s"))
        #expect(try JSONDocument(parsing: report.json).root.member("ok")?.bool == true)
    }

    /// Within the three digits that a histogram keeps.
    private func isNear(_ nanoseconds: UInt64?, _ milliseconds: Double) -> Bool {
        abs(Double(nanoseconds ?? 0) / 1_000_000 - milliseconds) <= milliseconds * 0.002
    }
}
