/// The use of a resource that tenants share in the delivery of events.
public struct WebhookUse: Equatable, Sendable {
    /// The total amount.
    public let capacity: Int
    /// The amount in use.
    public let used: Int
    /// The number of times that an event waited for it.
    public let waits: UInt64
}
