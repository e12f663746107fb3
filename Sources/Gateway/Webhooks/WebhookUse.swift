/// How much is in use of something that tenants share in the delivery of events.
public struct WebhookUse: Equatable, Sendable {
    /// How much there is.
    public let capacity: Int
    /// How much is in use.
    public let used: Int
    /// How often an event has waited for want of it.
    public let waits: UInt64
}
