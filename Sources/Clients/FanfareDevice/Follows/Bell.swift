/// What a bell icon beside a topic shows.
public enum Bell: String, Codable, Sendable {
    /// The user does not follow the topic.
    case off
    /// The user follows it, and its Live Activity is not on this phone: it has not begun, its start is under way, or
    /// the gateway has not heard of the wish yet.
    case pending
    /// The user follows it, and its Live Activity is on this phone.
    case live
    /// The user follows it, and does not allow Live Activities in the settings of the system.
    case noPermission
}

/// What became of a wish to follow, or to follow no more.
public enum WishOutcome: Hashable, Sendable {
    /// It holds on this phone from now on, and is told to the gateway as soon as that is reached.
    case noted
    /// The name is none that a topic can have: 1 to 128 letters, digits and `-._~:`, but not `.` or `..`.
    case invalidName
    /// Nobody is signed in.
    case signedOut
    /// As many topics as a user may follow, or as many reports as are kept. Nothing has changed.
    case full
}

/// A topic that the user follows, or that the gateway says something of.
public struct FollowState: Hashable, Sendable {
    /// The topic's name.
    public let topic: String
    /// What a bell beside it shows.
    public let bell: Bell
    /// Where the topic stands, as far as the gateway has said.
    public let state: TopicState?
    /// Whether the gateway has confirmed what the bell shows.
    public let isConfirmed: Bool
}
