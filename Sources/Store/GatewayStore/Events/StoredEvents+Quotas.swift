import EventCore
import LiveActivity
import TimeCore

extension StoredEvents {
    /// Tells of quotas that are nearly or wholly used up. Each crossing is seen by one gateway, once.
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
