public import TimeCore

/// How topics are seen to.
public struct TopicSettings: Sendable {
    /// How often a live topic is looked at for followers who have lost their Live Activity.
    public var interval = TimeInterval.seconds(30)
    /// How often in an hour such a follower is started again.
    public var healLimit = 2
    /// How long after its start a device that has reported nothing since counts as one of them; nil for never.
    public var healAfter: TimeInterval?
    /// Whether a dismissal is an unfollow.
    public var dismissUnfollows = true

    public init() {}
}
