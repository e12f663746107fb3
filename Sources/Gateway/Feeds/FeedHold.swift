import Reactor
import TimeCore

/// The time for which a lease counts on this gateway: a part of the requested time, measured from before the request. A
/// gateway that was asleep for longer detects the loss.
final class FeedHold: Sendable {
    private let end = Locked<MonotonicTime?>(nil)

    /// - Parameter asked: The time before the request.
    func renewed(asked: MonotonicTime, for time: TimeInterval) {
        end.withLock { $0 = asked + time }
    }

    /// Ends the hold, because another gateway has the lease.
    func lost() { end.withLock { $0 = nil } }

    /// True if the lease belongs to this gateway now.
    func counts(now: MonotonicTime) -> Bool { end.withLock { $0.map { now < $0 } ?? false } }
}
