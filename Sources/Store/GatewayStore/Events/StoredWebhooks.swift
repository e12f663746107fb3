import EventCore
public import TimeCore

/// Webhooks, and the deliveries that wait for them.
public final class StoredWebhooks: StoreFeature {
    let context: StoreContext
    let events: StoredEvents

    init(_ context: StoreContext, events: StoredEvents) {
        self.context = context
        self.events = events
    }

    /// Tenants share so many places of news.
    static let newsPlaces = 256

    /// Has gateways look for what there is to deliver for a tenant.
    func announce(_ tenantID: String) {
        context.webhookNews.announce(context.webhookNews.place(of: tenantID))
    }

    /// What is taken for now.
    public var wallClock: @Sendable () -> WallTime { context.wallClock }

    /// As `StoredEvents.publish`: whoever tries a webhook publishes an event to it alone.
    @discardableResult
    public func publish(
        _ events: [RecordedEvent], tenantID: String, onlyTo webhook: String?
    ) async throws(StoreError) -> Int {
        try await self.events.publish(events, tenantID: tenantID, onlyTo: webhook)
    }
}
