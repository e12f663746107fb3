extension Keys {
    static func idempotency(_ tenantID: String, _ hash: String) -> String { "fanfare:{i:\(tenantID):\(hash)}" }

    /// The budget that a tenant's kept answers use.
    static func answers(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:answers" }

    /// The budget that the kept answers to a tenant's devices use.
    static func deviceAnswers(_ tenantID: String) -> String { answers(tenantID) + ":devices" }
}
