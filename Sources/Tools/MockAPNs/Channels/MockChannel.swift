/// A broadcast channel of the mock's app.
public struct MockChannel: Sendable, Equatable {
    /// Base64 of sixteen bytes.
    public let id: String
    /// `message-storage-policy` is 1: the newest push is kept for devices that are offline.
    public let storesMessages: Bool
    /// When it was created, in milliseconds since 1970.
    public let created: Int64
    /// The push-to-start tokens, in lower case, whose start was accepted with this channel in it.
    public internal(set) var followers: Set<String> = []
    /// Pushes to it that were accepted.
    public internal(set) var publishCount = 0
    /// The newest of these.
    public internal(set) var lastPublish: MockPublish?
    /// Whether it has been deleted.
    public internal(set) var isDeleted = false
}
