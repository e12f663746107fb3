import Synchronization

/// Ends a load test early, and tells how far it is. From any thread.
public final class LoadControl: Sendable {
    private let stopped = Atomic(false)
    private let done = Atomic(0)

    public init() {}

    /// No more calls are sent; the report of those so far follows as soon as those under way have been answered, within
    /// a few seconds.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// Whether somebody has asked for an end.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }

    /// Calls of the present step that have come to their end.
    var callsEnded: Int { done.load(ordering: .relaxed) }

    func callsEnded(_ count: Int) { done.store(count, ordering: .relaxed) }
}
