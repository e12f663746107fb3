/// An activity as its marketing system knows it.
struct PlayedActivity: Sendable, Equatable {
    enum State: Sendable, Equatable {
        /// The register call is under way.
        case registering
        /// A part of the segment is registered; further calls add the rest.
        case growing
        /// The whole segment is registered.
        case registered
        /// A start or add-users call is under way.
        case changing
        /// Started; its devices report their tokens.
        case syncing
        /// Started; it accepts updates.
        case started
        case ending
    }

    /// The index of the API key.
    let key: Int
    var state = State.registering
    /// The gateway's id of the activity.
    var id = ""
    /// The segment's first position in the population, and its number of devices.
    let firstDevice: Int
    let deviceCount: Int
    /// The number of registered devices.
    var registeredCount = 0
    /// The started devices, as an offset in the segment and a count.
    var startedOffset = 0
    var startedCount = 0
    /// The number of token reports that began, and that ended.
    var syncsBegun = 0
    var syncsEnded = 0
    var updatesUnderWay = 0
}
