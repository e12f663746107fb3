/// A push to a channel that the mock accepted.
public struct MockPublish: Sendable, Equatable {
    /// The time of the request, in milliseconds since 1970.
    public let time: Int64
    /// The request's body.
    public let payload: [UInt8]
    /// The value of `apns-priority`; 10 if the header is missing.
    public let priority: Int
    /// The value of `apns-expiration`, in seconds since 1970; 0 if the push must not be stored.
    public let expiration: Int64
    /// The payload's event; nil if it names none.
    public let event: MockPushEvent?
    /// The payload's timestamp, in seconds since 1970.
    public let timestamp: Int64?
    /// The number of devices that followed the channel at that time.
    public let followers: Int
}
