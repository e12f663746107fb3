import Synchronization

/// How often requests were refused because a limit of their tenant was reached. From any thread.
public final class QuotaRefusals: Sendable {
    private let counts: [Counter] = TenantLimits.Limit.allCases.map { _ in Counter() }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// Another one was refused.
    public func count(_ limit: TenantLimits.Limit) {
        counts[limit.rawValue].value.add(1, ordering: .relaxed)
    }

    /// By limit, since the gateway began.
    public var all: [(limit: TenantLimits.Limit, count: Int)] {
        TenantLimits.Limit.allCases.map { ($0, counts[$0.rawValue].value.load(ordering: .relaxed)) }
    }
}
