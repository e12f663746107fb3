import LiveActivity
import TimeCore

/// The results of a run's calls. Each call is counted once: as succeeded, too early, rate-limited, refused, unanswered
/// or never sent.
struct CallStatistics: Sendable {
    struct Counts: Sendable, Equatable {
        var sent = 0
        /// Answers from 200 to 299.
        var succeeded = 0
        /// Rejections of calls that came too early and were repeated.
        var tooEarly = 0
        /// Answers with 429.
        var rateLimited = 0
        /// All other answers.
        var refused = 0
        /// Calls without an answer in time, or with a lost connection.
        var unanswered = 0
        /// Sent calls that followed from an answer instead of the clock.
        var followUps = 0
    }

    private(set) var counts = PerKind(Counts())
    private(set) var latencies = PerKind(LatencyStatistics?.none)
    /// The latencies of scheduled calls, including rejected, timed-out and abandoned ones. Excludes rate-limited and
    /// lost ones, and calls without a connection.
    private(set) var all = LatencyStatistics()
    /// The latencies of 429 answers, which are fast and would improve the other latencies.
    private(set) var rateLimited = LatencyStatistics()
    /// The latencies of other rejections.
    private(set) var refused = LatencyStatistics()
    private(set) var statuses: [Int: Int] = [:]
    /// Rejections by status and the `code` of their body.
    private(set) var codes: [String: Int] = [:]
    /// Calls without an answer, by reason.
    private(set) var losses: [String: Int] = [:]
    private(set) var neverSent = 0
    private(set) var ended = 0

    /// The maximum number of distinct codes or reasons. Further ones are counted together.
    private static let mostNames = 64
    private static let otherName = "others"

    /// - Parameters:
    ///   - isByTheClock: False for a follow-up, which is due when it can be sent.
    ///   - isTooEarly: True if the call was rejected only because it came too early.
    mutating func callEnded(
        _ kind: CallKind, _ outcome: CallOutcome, due: MonotonicTime, sent: MonotonicTime, at now: MonotonicTime,
        isByTheClock: Bool, isTooEarly: Bool = false
    ) {
        ended += 1
        counts[kind].sent += 1
        if !isByTheClock { counts[kind].followUps += 1 }
        switch outcome {
        case .answered(let status, let body):
            statuses[status, default: 0] += 1
            if (200..<300).contains(status) {
                counts[kind].succeeded += 1
                record(kind, due: due, sent: sent, at: now)
            } else if isTooEarly {
                counts[kind].tooEarly += 1
            } else {
                let code = CallStatistics.code(body).map { "\(status) \($0)" } ?? "\(status) without a code"
                CallStatistics.count(code, in: &codes)
                if status == 429 {
                    counts[kind].rateLimited += 1
                    rateLimited.callEnded(due: due, sent: sent, at: now)
                    return
                }
                counts[kind].refused += 1
                refused.callEnded(due: due, sent: sent, at: now)
            }
        case .timedOut:
            counts[kind].unanswered += 1
            CallStatistics.count("no answer in time", in: &losses)
            record(kind, due: due, sent: sent, at: now)
        case .lost(let reason):
            counts[kind].unanswered += 1
            // The time until a connection broke is not a latency.
            CallStatistics.count(reason, in: &losses)
            return
        }
        if isByTheClock { all.callEnded(due: due, sent: sent, at: now) }
    }

    /// Counts a call that was due and never sent.
    mutating func callGivenUp(due: MonotonicTime, at now: MonotonicTime) {
        ended += 1
        neverSent += 1
        all.callGivenUp(due: due, at: now)
    }

    /// Counts a due call whose connection failed, with the reason.
    mutating func callUnconnected(_ reason: String) {
        ended += 1
        neverSent += 1
        CallStatistics.count(reason, in: &losses)
    }

    func sum(_ count: KeyPath<Counts, Int>) -> Int {
        CallKind.allCases.reduce(0) { $0 + counts[$1][keyPath: count] }
    }

    private mutating func record(
        _ kind: CallKind, due: MonotonicTime, sent: MonotonicTime, at now: MonotonicTime
    ) {
        if latencies[kind] == nil { latencies[kind] = LatencyStatistics() }
        latencies[kind]?.callEnded(due: due, sent: sent, at: now)
    }

    private static func code(_ body: [UInt8]) -> String? {
        guard let code = try? JSONDocument(parsing: body).root.member("code")?.string, code.utf8.count <= 64 else {
            return nil
        }
        return code
    }

    private static func count(_ name: String, in counts: inout [String: Int]) {
        let isKnown = counts[name] != nil || counts.count < mostNames
        counts[isKnown ? name : otherName, default: 0] += 1
    }
}
