public import LiveActivity

/// What a broadcast has to say, whoever sends it: one for each broadcast, rendered by the provider of each kind of
/// route.
public struct Intent: Sendable {
    /// How urgent it is.
    public enum Priority: Hashable, Sendable {
        /// Delivered when it suits the device's power.
        case considerate
        /// Delivered at once.
        case immediate
    }

    /// Where its pushes go.
    public enum Destination: Equatable, Sendable {
        /// Each to a device, at an address of its own.
        case devices
        /// To a channel, which devices follow: there is one push, whose address is the channel's.
        case channel(String)
    }

    /// Whose content this is. Pushes are named after it.
    public let broadcast: UniqueID
    /// The activity that it is about.
    public let activity: UniqueID
    /// Whether the Live Activity appears, changes or goes.
    public let event: PushEvent
    /// The content in Apple's form, with its timestamp: an object `aps` as `Payload` composes it. APNs takes it as it
    /// is; who needs another form takes it apart.
    public let content: [UInt8]
    /// Until when it is worth delivering, in seconds since 1970; 0 for a single try.
    public let expiration: Int64
    /// The same for all devices.
    public let priority: Priority
    /// All devices, or a channel.
    public let destination: Destination
    /// Of a start: the channel that its devices follow from then on; nil when they are to report an address each.
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
