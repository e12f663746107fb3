public import LiveActivity

/// The content of a broadcast, independent of the provider. The provider of each kind of route renders it.
public struct Intent: Sendable {
    /// The urgency of delivery.
    public enum Priority: Hashable, Sendable {
        /// Delivered when it suits the device's power state.
        case considerate
        /// Delivered at once.
        case immediate
    }

    /// The destination of the pushes.
    public enum Destination: Equatable, Sendable {
        /// One push to each device's own address.
        case devices
        /// One push to a channel that devices follow.
        case channel(String)
    }

    /// The broadcast with this content. Its id is part of the pushes' ids.
    public let broadcast: UniqueID
    /// The activity of the broadcast.
    public let activity: UniqueID
    /// The effect on the Live Activity.
    public let event: PushEvent
    /// The content in Apple's form with its timestamp: an object `aps` from `Payload`. APNs gets it unchanged, and
    /// other providers convert it.
    public let content: [UInt8]
    /// The time until which delivery is useful, in seconds since 1970; 0 for a single attempt.
    public let expiration: Int64
    /// The priority for all devices.
    public let priority: Priority
    /// The devices or a channel.
    public let destination: Destination
    /// The channel that the devices of a start follow from then on; nil if each reports an address of its own.
    public let following: String?

    public init(
        broadcast: UniqueID, activity: UniqueID, event: PushEvent, content: [UInt8], expiration: Int64,
        priority: Priority, destination: Destination = .devices, following: String? = nil
    ) {
        self.broadcast = broadcast
        self.activity = activity
        self.event = event
        self.content = content
        self.expiration = expiration
        self.priority = priority
        self.destination = destination
        self.following = following
    }
}
