import LiveActivity
import TimeCore

/// What became of the calls of a run. Every call is counted once: as succeeded, too early, rate-limited, refused,
/// unanswered or never sent.
struct CallStatistics: Sendable {
    struct Counts: Sendable, Equatable {
        var sent = 0
        /// Answers from 200 to 299.
        var succeeded = 0
        /// Refused as they came before what they are about, and made again.
        var tooEarly = 0
        /// Answers 429.
        var rateLimited = 0
        /// All other answers.
        var refused = 0
        /// No answer in time, or none at all.
        var unanswered = 0
        /// Of those sent, how many followed from an answer, and were not due by the clock.
        var followUps = 0
    }

    private(set) var counts = PerKind(Counts())
    private(set) var latencies = PerKind(LatencyStatistics?.none)
    /// The calls by the clock: all answers but the rate-limited, and those that had no answer in time or were never
    /// sent, with the time that they have waited. Nothing makes these look better.
    private(set) var all = LatencyStatistics()
    /// Answers 429, which are quick and would make the others look better.
    private(set) var rateLimited = LatencyStatistics()
    /// Answers that refuse for another reason.
    private(set) var refused = LatencyStatistics()
    private(set) var statuses: [Int: Int] = [:]
    /// The `code` of each answer without success, with its status.
    private(set) var codes: [String: Int] = [:]
    /// Why there was no answer.
    private(set) var losses: [String: Int] = [:]
    private(set) var neverSent = 0
    private(set) var ended = 0

    /// Different codes and reasons that are told apart.
    private static let mostNames = 64
    private static let otherName = "others"

    /// - Parameters:
    ///   - isByTheClock: False for what follows from an answer, which is due when it can be sent.
    ///   - isTooEarly: True for a refusal that says no more than that.
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
            // How long it took to break says nothing about answers.
            CallStatistics.count(reason, in: &losses)
            return
        }
        if isByTheClock { all.callEnded(due: due, sent: sent, at: now) }
    }

    /// A call that was due and has never been sent.
    mutating func callGivenUp(due: MonotonicTime, at now: MonotonicTime) {
        ended += 1
        neverSent += 1
        all.callGivenUp(due: due, at: now)
    }

    /// A call that was due found no connection, for this reason.
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
