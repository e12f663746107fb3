extension Keys {
    static func idempotency(_ tenantID: String, _ hash: String) -> String { "fanfare:{i:\(tenantID):\(hash)}" }

    /// What a tenant's kept answers take.
    static func answers(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:answers" }

    /// The budget that the kept answers to a tenant's devices use.
    static func deviceAnswers(_ tenantID: String) -> String { answers(tenantID) + ":devices" }
}
