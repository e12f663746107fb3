/// A tenant's part of a shared resource, without information about other tenants.
struct TenantShare: Sendable {
    let name: String
    /// The amount in use.
    let used: Int
    /// The limit without other tenants. The current limit would reveal their use.
    let limit: Int

    func named(_ name: String) -> TenantShare { TenantShare(name: name, used: used, limit: limit) }
}
