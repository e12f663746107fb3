public import Encodings
public import GatewayStore
public import TimeCore

/// The settings of the delivery of events.
public struct WebhookOptions: Sendable {
    /// The rules for receivers, which the API also checks.
    public var policy = WebhookPolicy()
    /// Resolves a name. Called for each delivery, which connects only to its result.
    public var resolve: @Sendable (String) async throws -> [IPAddress] = {
        try await NameLookup.shared.addresses(of: $0)
    }
    /// The certificates (PEM) that are trusted besides the system's.
    public var caFile: String?
    /// The time from the lookup of the name to the end of the answer.
    public var timeout = TimeInterval.seconds(15)
    /// The period of polls for due events.
    public var period = TimeInterval.milliseconds(500)
    /// The number of periods after which the store is polled even without news, which can be lost.
    public var sweep = 60
    /// The time after which a silent gateway's tenants are taken over.
    public var lease = TimeInterval.seconds(10)
    /// The maximum number of deliveries in progress, of all webhooks. Tenants share them.
    public var concurrency = 256

    public init() {}
}
