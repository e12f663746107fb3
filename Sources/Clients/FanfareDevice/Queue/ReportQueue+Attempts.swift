import Foundation

extension ReportQueue {
    /// Returns the attempt whose answer was lost, or a new one with this body.
    mutating func attempt(_ queued: QueuedReport, body: Data?, at now: Moment) -> Attempt {
        if let attempt = queued.attempt { return attempt }
        let milliseconds = Int64(queued.queuedAt.wall.timeIntervalSince1970 * 1000)
        let attempt = Attempt(key: "\(queued.id)-\(milliseconds)-\(queued.attempts)", body: body, at: now)
        update(queued.id) { $0.attempt = attempt }
        return attempt
    }

    /// Records that the request may have been executed, so that it is repeated unchanged.
    mutating func isInDoubt(_ id: UInt64) { update(id) { $0.attempt?.mayHaveArrived = true } }

    /// Records that the request had no effect. The next one is a new attempt, unless an earlier request of this one may
    /// have been executed.
    mutating func cameToNothing(_ id: UInt64) {
        update(id) {
            guard $0.attempt?.mayHaveArrived == false else { return }
            $0.attempt = nil
            $0.attempts += 1
        }
    }

    /// Gives up the attempt. The next request is a new one.
    mutating func abandonAttempt(_ id: UInt64) {
        update(id) {
            $0.attempt = nil
            $0.attempts += 1
        }
    }

    /// Copies the counts of a report to its replacement.
    mutating func carryOver(_ former: QueuedReport, doubts: Int) {
        guard let next = waiting.first(where: { $0.subject == former.subject }) else { return }
        update(next.id) { ($0.failures, $0.doubts) = (former.failures, doubts) }
    }

    /// The reports whose idempotency keys the gateway may have forgotten.
    func forgotten(at now: Moment) -> [QueuedReport] {
        waiting.filter { queued in
            guard let attempt = queued.attempt, queued.id != underWay else { return false }
            return now.elapsed(since: attempt.at) >= Attempt.lifetime
        }
    }
}
