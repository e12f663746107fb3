/// The header fields that all pushes of one broadcast share (Apple: "Sending notification requests to APNs").
public struct PushHeaders: Hashable, Sendable {
    /// `apns-push-type`.
    public enum PushType: String, Hashable, Sendable {
        case liveActivity = "liveactivity"
    }

    /// `apns-priority`.
    public enum Priority: Int, Hashable, Sendable {
        /// Delivered when it suits the device's power; does not count against the Live Activity's budget.
        case considerate = 5
        /// Delivered at once; counts against the Live Activity's budget.
        case immediate = 10
    }

    /// The invalid text of a header field.
    public enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        case topic(String)
        case collapseIdentifier(bytes: Int)
        case channel

        public var description: String {
            switch self {
            case .topic: "the topic is empty or has a character that a header field cannot carry"
            case .collapseIdentifier(let bytes):
                "the collapse identifier must be 1 to 64 visible ASCII characters (it has \(bytes) bytes)"
            case .channel: "the channel is empty or has a character that a header field cannot carry"
            }
        }
    }

    /// `apns-topic`.
    public let topic: String
    let pushType: PushType
    let priority: Priority
    /// `apns-expiration`, in seconds since 1970. The provider retries until then; 0 means one attempt.
    public let expiration: UInt64
    /// `apns-collapse-id`.
    public let collapseIdentifier: String?
    /// `apns-channel-id` of a push to a channel (Apple: "Sending broadcast push notification requests to APNs").
    public let channel: String?

    /// Throws if a text is invalid in a header field.
    public init(
        topic: String, pushType: PushType = .liveActivity, priority: Priority, expiration: UInt64,
        collapseIdentifier: String? = nil, channel: String? = nil
    ) throws(Invalid) {
        guard !topic.isEmpty, PushHeaders.isVisible(topic) else { throw .topic(topic) }
        if let text = collapseIdentifier {
            guard (1...64).contains(text.utf8.count), PushHeaders.isVisible(text) else {
                throw .collapseIdentifier(bytes: text.utf8.count)
            }
        }
        if let channel { guard !channel.isEmpty, PushHeaders.isVisible(channel) else { throw .channel } }
        self.channel = channel
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseIdentifier = collapseIdentifier
    }

    /// The topic of Live Activities of the app with this bundle identifier.
    public static func liveActivityTopic(bundleIdentifier: String) -> String {
        "\(bundleIdentifier).push-type.liveactivity"
    }

    private static func isVisible(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
