import EventCore
public import TimeCore

/// The webhooks of tenants and their pending deliveries.
public final class StoredWebhooks: StoreFeature {
    let context: StoreContext
    let events: StoredEvents

    init(_ context: StoreContext, events: StoredEvents) {
        self.context = context
        self.events = events
    }

    /// The number of news places, which all tenants share.
    static let newsPlaces = 256

    /// Notifies gateways of new deliveries for a tenant.
    func announce(_ tenantID: String) {
        context.webhookNews.announce(context.webhookNews.place(of: tenantID))
    }

    /// The clock of deliveries.
    public var wallClock: @Sendable () -> WallTime { context.wallClock }

    /// Publishes events as `StoredEvents.publish` does. A test event goes to one webhook alone.
    @discardableResult
    public func publish(
        _ events: [RecordedEvent], tenantID: String, onlyTo webhook: String?
    ) async throws(StoreError) -> Int {
        try await self.events.publish(events, tenantID: tenantID, onlyTo: webhook)
    }
}
