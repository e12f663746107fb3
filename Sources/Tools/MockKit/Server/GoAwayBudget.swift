/// How many connections are still to get the script's GOAWAY.
struct GoAwayBudget {
    /// Nil: none by script.
    let plan: ConnectionScript.GoAway?
    private var left: Int

    init(_ plan: ConnectionScript.GoAway?) {
        self.plan = plan
        left = plan?.limit ?? .max
    }

    /// Whether the next connection that comes to it gets the GOAWAY; takes one of the limit.
    mutating func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
