public import Delivery
public import TimeCore

/// What a customer registers, beside the users.
public struct ActivityRegistration: Sendable {
    /// The name of the app's ActivityAttributes type, case-sensitive.
    public var type: String
    /// When the activity ends by itself.
    public var endsAt: WallTime
    /// The key under which the activity's id is added to `attributes`; nil for none.
    public var activityIDAttribute: String?
    /// The customer's label for people; nil for none.
    public var label: String?
    /// Whether the content of the newest update is kept for devices that report later.
    public var catchesUp = false
    /// The kinds of route by which the app reaches anybody: devices of others have no token that is of use. Nil for
    /// all.
    public var served: Set<RouteKind>?
    /// Whether devices that have lost their Live Activity are started again; nil for not.
    public var healing: Healing?
    /// Whether devices that can are to follow a channel; nil for not.
    public var channelUse: ChannelUse?
    /// The topic whose activity this is: devices may join it while it runs.
    public var topic: TopicID?
    /// The least time between two updates to its whole segment, once two have left in a row; nil for the store's.
    public var minimumInterval: TimeInterval?

    public init(type: String, endsAt: WallTime, activityIDAttribute: String? = nil) {
        self.type = type
        self.endsAt = endsAt
        self.activityIDAttribute = activityIDAttribute
    }
}
