public import EventCore

/// A gateway's rules for webhooks. They apply to new webhooks and to each delivery.
public struct WebhookPolicy: Sendable {
    /// The guard that selects the allowed addresses.
    public var addressGuard = AddressGuard()
    /// True if a receiver's URL may use plain HTTP.
    public var allowsPlainHTTP = false
    /// The key for secrets. Without it the gateway adds no webhooks and delivers nothing.
    public var secrets: WebhookSecrets?

    public init() {}

    /// Parses a receiver's URL, and throws if it is not allowed. The addresses of a name are checked at each delivery.
    public func url(_ text: String) throws(ReceiverURL.Refusal) -> ReceiverURL {
        let url = try ReceiverURL(text, allowsPlainHTTP: allowsPlainHTTP)
        if let address = url.address, let reason = addressGuard.refusal(of: address) {
            throw ReceiverURL.Refusal("is not allowed: \(reason)")
        }
        return url
    }
}
