import Reactor

/// The weights of tenants' shares, as of their last requests. From any thread.
public final class TenantWeights: Sendable {
    /// The weights other than 1, which operators have set.
    private let weights = Locked<[String: Int]>([:])

    public init() {}

    /// The weight of a tenant; 1 if unknown.
    public subscript(tenantID: String) -> Int { weights.withLock { $0[tenantID] ?? 1 } }

    /// Stores a tenant's weight.
    public func heard(_ weight: Int, ofTenant tenantID: String) {
        weights.withLock { weights in
            guard weight != weights[tenantID] ?? 1 else { return }
            weights[tenantID] = weight == 1 ? nil : weight
        }
    }
}
