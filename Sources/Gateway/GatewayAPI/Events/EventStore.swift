import EventCore
import GatewayStore

/// Keeps a tenant's stream of events.
protocol EventStore: Sendable {
    /// - Parameter types: nil for all.
    func events(
        of tenantID: String, after cursor: EventCursor, types: [EventType]?, limit: Int
    ) async throws(StoreError) -> EventPage

    func eventStream(_ tenantID: String) async throws(StoreError) -> (isOn: Bool, length: Int)

    func recordsAudit(_ tenantID: String) async throws(StoreError) -> Bool

    func setAudit(_ tenantID: String, isOn: Bool) async throws(StoreError)

    func setEventStream(_ tenantID: String, isOn: Bool) async throws(StoreError)
}

extension StoredEvents: EventStore {}
