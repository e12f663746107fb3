/// What a tenant is told of something that it shares with others: its own part, and nothing that tells of theirs.
struct TenantShare: Sendable {
    let name: String
    /// What it has of it.
    let used: Int
    /// What it could have if it were alone. How much it can have at the moment would say how much others use.
    let limit: Int

    func named(_ name: String) -> TenantShare { TenantShare(name: name, used: used, limit: limit) }
}
