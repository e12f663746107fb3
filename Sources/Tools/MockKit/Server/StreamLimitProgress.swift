/// The current stream limit of a connection according to its script.
struct StreamLimitProgress {
    private let plan: ConnectionScript.StreamLimit
    private var usual: UInt32
    private var awaitsFirstValidPush: Bool
    private var isRestricted = false
    private(set) var announced: UInt32
    var wasViolated = false

    init(_ plan: ConnectionScript.StreamLimit, usual: UInt32) {
        self.plan = plan
        self.usual = plan.usual ?? usual
        awaitsFirstValidPush = plan.beforeFirstValidPush != nil
        announced = plan.beforeFirstValidPush ?? self.usual
    }

    mutating func requestReceived(count: Int) {
        for change in plan.changes where change.afterPushes == count { usual = change.limit }
    }

    mutating func requestAnswered(isAccepted: Bool, hasValidCredential: Bool) {
        if hasValidCredential { awaitsFirstValidPush = false }
        isRestricted = !isAccepted && plan.afterRejection != nil
    }

    /// Returns the limit to announce; nil if it has not changed.
    mutating func takeChange() -> UInt32? {
        var limit = usual
        if let first = plan.beforeFirstValidPush, awaitsFirstValidPush {
            limit = first
        } else if let restricted = plan.afterRejection, isRestricted {
            limit = restricted
        }
        guard limit != announced else { return nil }
        announced = limit
        return limit
    }
}
