public import TimeCore

/// The settings of topics.
public struct TopicSettings: Sendable {
    /// The pause between checks of a live topic for followers without their Live Activity.
    public var interval = TimeInterval.seconds(30)
    /// The maximum number of restarts in an hour for each of these followers.
    public var healLimit = 2
    /// True if a dismissal is an unfollow.
    public var dismissUnfollows = true

    public init() {}
}
