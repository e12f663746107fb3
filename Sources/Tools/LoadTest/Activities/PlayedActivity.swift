/// An activity that the marketing system has made, as far as it knows.
struct PlayedActivity: Sendable, Equatable {
    enum State: Sendable, Equatable {
        /// The register is under way.
        case registering
        /// Registered with a part of its segment; the rest is added by further calls.
        case growing
        /// Registered with its whole segment.
        case registered
        /// A start, or a call that adds users, is under way.
        case changing
        /// Started; its devices report their tokens.
        case syncing
        /// Started, and can be updated.
        case started
        case ending
    }

    /// Which of the keys it belongs to.
    let key: Int
    var state = State.registering
    /// As the gateway named it.
    var id = ""
    /// Where its devices begin in the population, and how many they are.
    let firstDevice: Int
    let deviceCount: Int
    /// How many of them have been registered.
    var registeredCount = 0
    /// The devices that were started, as an offset in the segment and a count.
    var startedOffset = 0
    var startedCount = 0
    /// How many of these have begun to report a token, and how many have an answer.
    var syncsBegun = 0
    var syncsEnded = 0
    var updatesUnderWay = 0
}
