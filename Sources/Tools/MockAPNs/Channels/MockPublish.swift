/// A push to a channel that the mock accepted.
public struct MockPublish: Sendable, Equatable {
    /// When, in milliseconds since 1970.
    public let time: Int64
    /// The request's body.
    public let payload: [UInt8]
    /// `apns-priority`; 10 when the request has none.
    public let priority: Int
    /// `apns-expiration`, in seconds since 1970; 0 for never.
    public let expiration: Int64
    /// What it does.
    public let event: MockPushEvent?
    /// The payload's, in seconds since 1970.
    public let timestamp: Int64?
    /// How many devices followed the channel then.
    public let followers: Int
}
