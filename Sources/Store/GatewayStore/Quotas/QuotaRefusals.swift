import Synchronization

/// The number of requests refused by each tenant limit. Callable from any thread.
public final class QuotaRefusals: Sendable {
    private let counts: [Counter] = TenantLimits.Limit.allCases.map { _ in Counter() }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// Counts a refused request.
    public func count(_ limit: TenantLimits.Limit) {
        counts[limit.rawValue].value.add(1, ordering: .relaxed)
    }

    /// The refusals of each limit since the gateway started.
    public var all: [(limit: TenantLimits.Limit, count: Int)] {
        TenantLimits.Limit.allCases.map { ($0, counts[$0.rawValue].value.load(ordering: .relaxed)) }
    }
}
