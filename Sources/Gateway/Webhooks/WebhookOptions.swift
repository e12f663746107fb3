public import Encodings
public import GatewayStore
public import TimeCore

/// How a gateway delivers events.
public struct WebhookOptions: Sendable {
    /// What the API checks receivers by as well.
    public var policy = WebhookPolicy()
    /// The addresses of a name. Asked anew for each delivery, and only what it answered is connected to.
    public var resolve: @Sendable (String) async throws -> [IPAddress] = {
        try await NameLookup.shared.addresses(of: $0)
    }
    /// Certificates (PEM) that receivers' own are checked against, beside the system's.
    public var caFile: String?
    /// From the look-up of the name to the end of the answer.
    public var timeout = TimeInterval.seconds(15)
    /// How often it is seen for whom something is due.
    public var period = TimeInterval.milliseconds(500)
    /// In so many periods the store is asked at least once, should news have been lost.
    public var sweep = 60
    /// A gateway that was silent for so long has its tenants taken over.
    public var lease = TimeInterval.seconds(10)
    /// Deliveries under way at once, of all webhooks together; tenants share them.
    public var concurrency = 256

    public init() {}
}
