import EventCore
import LiveActivity
import TimeCore

extension StoredEvents {
    /// Publishes an event for each quota that is nearly or fully used. The script reports each crossing to one gateway.
    func publish(_ crossings: [QuotaCrossing], tenantID: String) async throws(StoreError) {
        let now = wallClock()
        let events = crossings.map { crossing in
            let type = crossing.isReached ? EventType.quotaReached : .quotaNear
            return RecordedEvent(
                id: RecordedEvent.id(type, tenantID, crossing.limit.name, now.milliseconds), type: type, time: now,
                data: EventData.quota(crossing))
        }
        try await publish(events, tenantID: tenantID)
    }
}
