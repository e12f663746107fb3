public import Delivery
public import TimeCore

/// A customer's registration of an activity, without the users.
public struct ActivityRegistration: Sendable {
    /// The name of the app's ActivityAttributes type, case-sensitive.
    public var type: String
    /// The time at which the activity ends without a request.
    public var endsAt: WallTime
    /// The key under which the activity's id is added to `attributes`; nil for none.
    public var activityIDAttribute: String?
    /// The customer's label for people; nil for none.
    public var label: String?
    /// True if the content of the newest update is kept for devices that report later.
    public var catchesUp = false
    /// The kinds of route that the app can push to. Devices of other kinds are not eligible. Nil means all.
    public var served: Set<RouteKind>?
    /// The healing of devices that have lost their Live Activity; nil for none.
    public var healing: Healing?
    /// The use of channels by devices that can follow one; nil for none.
    public var channelUse: ChannelUse?
    /// The topic of the activity, whose devices may join while it runs; nil for none.
    public var topic: TopicID?
    /// The least time between two updates to its whole segment, once two have left in a row; nil for the store's.
    public var minimumInterval: TimeInterval?

    public init(type: String, endsAt: WallTime, activityIDAttribute: String? = nil) {
        self.type = type
        self.endsAt = endsAt
        self.activityIDAttribute = activityIDAttribute
    }
}
