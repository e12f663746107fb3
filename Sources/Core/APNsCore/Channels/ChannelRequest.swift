/// A request about an app's broadcast channels (Apple: "Sending channel management requests to APNs").
public enum ChannelRequest: Hashable, Sendable {
    /// Creates a channel.
    /// - Parameter storesNewest: True if APNs keeps the newest message for phones that are off.
    case create(storesNewest: Bool)
    /// Deletes the channel with this id.
    case delete(String)
    /// Lists the ids of the app's channels.
    case list

    /// The HTTP method.
    public var method: String {
        switch self {
        case .create: "POST"
        case .delete: "DELETE"
        case .list: "GET"
        }
    }

    /// The path for the app with this bundle identifier.
    public func path(bundleIdentifier: String) -> String {
        switch self {
        case .create, .delete: "/1/apps/\(bundleIdentifier)/channels"
        case .list: "/1/apps/\(bundleIdentifier)/all-channels"
        }
    }

    /// The field that names a channel, in requests and answers.
    public static let channelField = "apns-channel-id"

    /// The channel that the request names.
    public var channel: String? {
        if case .delete(let channel) = self { channel } else { nil }
    }

    /// JSON; empty for a request without a body.
    public var body: [UInt8] {
        guard case .create(let storesNewest) = self else { return [] }
        return Array(#"{"message-storage-policy":\#(storesNewest ? 1 : 0),"push-type":"LiveActivity"}"#.utf8)
    }

    /// The name by which calls are counted.
    public var name: String {
        switch self {
        case .create: "create"
        case .delete: "delete"
        case .list: "list"
        }
    }

    /// The maximum number of channels of an app in an environment.
    public static let limit = 10_000

    /// True if the text is valid as a channel id in header fields and in the store. A channel id has 1 to 128 visible
    /// ASCII characters, no comma, and no `!` in front.
    public static func isChannel(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !text.hasPrefix("!")
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
    }
}
