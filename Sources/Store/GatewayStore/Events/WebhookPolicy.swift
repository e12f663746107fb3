public import EventCore

/// What a gateway allows of webhooks: the same when one is made and whenever something is sent to it.
public struct WebhookPolicy: Sendable {
    /// Which addresses events may be sent to.
    public var addressGuard = AddressGuard()
    /// Whether a receiver's URL may begin with `http`.
    public var allowsPlainHTTP = false
    /// Nil when the gateway has no key for them: then it makes no webhooks, and delivers nothing.
    public var secrets: WebhookSecrets?

    public init() {}

    /// A receiver's URL, when it may be one. A name's addresses are looked at with each delivery.
    public func url(_ text: String) throws(ReceiverURL.Refusal) -> ReceiverURL {
        let url = try ReceiverURL(text, allowsPlainHTTP: allowsPlainHTTP)
        if let address = url.address, let reason = addressGuard.refusal(of: address) {
            throw ReceiverURL.Refusal("is not allowed: \(reason)")
        }
        return url
    }
}
