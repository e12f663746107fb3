import Reactor
import TimeCore

/// How long a lease counts, as far as this gateway knows: a part of the time that was asked for, from before it was
/// asked for. One that was asleep longer sees that it has lost it.
final class FeedHold: Sendable {
    private let end = Locked<MonotonicTime?>(nil)

    /// - Parameter asked: when the lease was asked for.
    func renewed(asked: MonotonicTime, for time: TimeInterval) {
        end.withLock { $0 = asked + time }
    }

    /// It is another one's.
    func lost() { end.withLock { $0 = nil } }

    /// Whether it is this gateway's now.
    func counts(now: MonotonicTime) -> Bool { end.withLock { $0.map { now < $0 } ?? false } }
}
