import TimeCore

/// The permission for a report to create a device or a user. The report holds it until its result is counted.
struct MakingPermit: Equatable, Sendable {
    /// True if the report may create a device of a known user.
    var device = false
    /// True if the report may also create the user.
    var user = false
    /// True if the permit was taken from those that the store granted.
    var isHeld = false

    /// Permits changes to known users and devices only.
    static let none = MakingPermit()
    /// The permit for tenants without limits, which allows both.
    static let any = MakingPermit(device: true, user: true)

    /// The argument of scripts.
    var text: String { user ? "u" : device ? "d" : "" }
}

/// The refusal of a report because a limit is reached.
struct QuotaRefusal: Error, Equatable, Sendable {
    let limit: TenantLimits.Limit
    /// The time until a retry can succeed; nil if it is not known.
    let wait: TimeInterval?

    var error: StoreError { .quotaReached(limit, wait: limit == .newDevices ? wait ?? .seconds(1) : nil) }
}

/// The users and devices that a report created.
struct Made: Equatable, Sendable {
    var users = 0
    var devices = 0
    /// Devices seen for the first time.
    var fresh = 0

    static let nothing = Made()
    static let userOnly = Made(users: 1, fresh: 1)
    /// An unknown result. It counts against the minute's new devices, but not in the totals.
    static let unknown = Made(fresh: 1)
}
