import Reactor

/// How much tenants are to have beside others, as it was heard of with their last request. From any thread.
public final class TenantWeights: Sendable {
    /// Only those that are not 1: what operators have set.
    private let weights = Locked<[String: Int]>([:])

    public init() {}

    /// The weight of a tenant; 1 for one that nothing was said of.
    public subscript(tenantID: String) -> Int { weights.withLock { $0[tenantID] ?? 1 } }

    /// Takes note of a tenant's weight.
    public func heard(_ weight: Int, ofTenant tenantID: String) {
        weights.withLock { weights in
            guard weight != weights[tenantID] ?? 1 else { return }
            weights[tenantID] = weight == 1 ? nil : weight
        }
    }
}
