extension Keys {
    static func idempotency(_ tenantID: String, _ hash: String) -> String { "fanfare:{i:\(tenantID):\(hash)}" }
}
