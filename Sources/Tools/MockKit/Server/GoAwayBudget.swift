/// The number of connections that may still get the script's GOAWAY.
struct GoAwayBudget {
    /// Nil if the script has no GOAWAY.
    let plan: ConnectionScript.GoAway?
    private var left: Int

    init(_ plan: ConnectionScript.GoAway?) {
        self.plan = plan
        left = plan?.limit ?? .max
    }

    /// Reserves a GOAWAY for a connection. Returns false if the limit is used up.
    mutating func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
