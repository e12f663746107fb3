/// A broadcast channel of the mock's app.
public struct MockChannel: Sendable, Equatable {
    /// Sixteen bytes in Base64.
    public let id: String
    /// True if `message-storage-policy` is 1, so the newest push is stored for offline devices.
    public let storesMessages: Bool
    /// The creation time, in milliseconds since 1970.
    public let created: Int64
    /// The push-to-start tokens, in lower-case hexadecimal, of accepted starts that name this channel.
    public internal(set) var followers: Set<String> = []
    /// The number of accepted pushes to the channel.
    public internal(set) var publishCount = 0
    /// The newest accepted push; nil before the first.
    public internal(set) var lastPublish: MockPublish?
    /// True if the channel has been deleted.
    public internal(set) var isDeleted = false
}
