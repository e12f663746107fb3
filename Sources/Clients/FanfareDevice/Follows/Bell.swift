/// The state of a bell icon next to a topic.
public enum Bell: String, Codable, Sendable {
    /// The user does not follow the topic.
    case off
    /// The user follows the topic, but its Live Activity is not on this phone. It has not started yet, its start is in
    /// progress, or the gateway does not know of the follow yet.
    case pending
    /// The user follows the topic, and its Live Activity is on this phone.
    case live
    /// The user follows the topic, but the system's settings forbid Live Activities.
    case noPermission
}

/// The result of a request to follow or unfollow a topic.
public enum WishOutcome: Hashable, Sendable {
    /// The change applies on this phone, and is sent once the gateway is reachable.
    case noted
    /// The name is invalid. A topic's name has 1 to 128 letters, digits and `-._~:`, and is not `.` or `..`.
    case invalidName
    /// No user is signed in.
    case signedOut
    /// The limit of followed topics or of waiting reports is reached. Nothing changed.
    case full
}

/// A topic that the user follows, or that the gateway has mentioned.
public struct FollowState: Hashable, Sendable {
    /// The name of the topic.
    public let topic: String
    /// The state of its bell.
    public let bell: Bell
    /// The state of the topic, as last reported by the gateway; nil if unknown.
    public let state: TopicState?
    /// True if the gateway has confirmed the state of the bell.
    public let isConfirmed: Bool
}
