import Foundation

extension ReportQueue {
    /// The attempt that a report's request is of: the one whose answer was lost, or a new one with this body.
    mutating func attempt(_ queued: QueuedReport, body: Data?, at now: Moment) -> Attempt {
        if let attempt = queued.attempt { return attempt }
        let milliseconds = Int64(queued.queuedAt.wall.timeIntervalSince1970 * 1000)
        let attempt = Attempt(key: "\(queued.id)-\(milliseconds)-\(queued.attempts)", body: body, at: now)
        update(queued.id) { $0.attempt = attempt }
        return attempt
    }

    /// The request may have been carried out: it is made again as it was.
    mutating func isInDoubt(_ id: UInt64) { update(id) { $0.attempt?.mayHaveArrived = true } }

    /// The request has done nothing. The next one is another attempt, unless an earlier one of this may have been
    /// carried out.
    mutating func cameToNothing(_ id: UInt64) {
        update(id) {
            guard $0.attempt?.mayHaveArrived == false else { return }
            $0.attempt = nil
            $0.attempts += 1
        }
    }

    /// The next request is another attempt, whatever became of this one.
    mutating func abandonAttempt(_ id: UInt64) {
        update(id) {
            $0.attempt = nil
            $0.attempts += 1
        }
    }

    /// Keeps what is known of a report for the one that says the same in its place.
    mutating func carryOver(_ former: QueuedReport, doubts: Int) {
        guard let next = waiting.first(where: { $0.subject == former.subject }) else { return }
        update(next.id) { ($0.failures, $0.doubts) = (former.failures, doubts) }
    }

    /// Those that may have been carried out, and whose key the gateway may have forgotten.
    func forgotten(at now: Moment) -> [QueuedReport] {
        waiting.filter { queued in
            guard let attempt = queued.attempt, queued.id != underWay else { return false }
            return now.elapsed(since: attempt.at) >= Attempt.lifetime
        }
    }
}
