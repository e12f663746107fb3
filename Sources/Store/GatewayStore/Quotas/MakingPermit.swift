import TimeCore

/// What a report may make that is not known yet. It is held until what has come of the report is counted.
struct MakingPermit: Equatable, Sendable {
    /// A device, whose user is known.
    var device = false
    /// The user as well.
    var user = false
    /// Whether it was taken out of what the store has given.
    var isHeld = false

    /// What is known may be changed.
    static let none = MakingPermit()
    /// Where nothing is limited.
    static let any = MakingPermit(device: true, user: true)

    /// As scripts are told it.
    var text: String { user ? "u" : device ? "d" : "" }
}

/// A limit is reached, so nothing is made.
struct QuotaRefusal: Error, Equatable, Sendable {
    let limit: TenantLimits.Limit
    /// When it is worth trying again, where that is known.
    let wait: TimeInterval?

    var error: StoreError { .quotaReached(limit, wait: limit == .newDevices ? wait ?? .seconds(1) : nil) }
}

/// What has come of something that may have made a device, or a user.
struct Made: Equatable, Sendable {
    var users = 0
    var devices = 0
    /// Seen for the first time.
    var fresh = 0

    static let nothing = Made()
    static let userOnly = Made(users: 1, fresh: 1)
    /// Nobody knows: it counts against the minute, and not for good.
    static let unknown = Made(fresh: 1)
}
