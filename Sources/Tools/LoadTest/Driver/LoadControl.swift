import Synchronization

/// Stops a load test early, and reports its progress. Callable on any thread.
public final class LoadControl: Sendable {
    private let stopped = Atomic(false)
    private let done = Atomic(0)

    public init() {}

    /// Stops sending calls. The report follows within a few seconds, after the calls under way have been answered.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// True if `stop` has been called.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }

    /// The number of ended calls in the current step.
    var callsEnded: Int { done.load(ordering: .relaxed) }

    func callsEnded(_ count: Int) { done.store(count, ordering: .relaxed) }
}
