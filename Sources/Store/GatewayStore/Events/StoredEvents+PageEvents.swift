import Delivery
import EventCore
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// Events that name devices. They need a read per user, so they run after the pushes, on a connection and a reactor of
// their own.
extension StoredEvents {
    private static let entriesAtOnce = 4
    private static let namesAtOnce = 100

    /// Publishes the events of a broadcast's finished pages in a job's partitions, until none are left. Idempotent, and
    /// safe on several gateways at once, because an event keeps its id and is recorded once.
    public func publishPages(of order: BroadcastOrder, in job: JobTicket) async throws(StoreError) {
        for partition in order.partitions(of: job.part) {
            let cohort = order.cohort(of: RosterGeometry.kind(ofPartition: partition))
            try await publishPages(
                of: order.id, order.kind, order.endReason, order.activity, partition, cohort,
                from: order.origin.source)
        }
    }

    func publishPages(
        of broadcast: UniqueID, _ kind: PushEvent, _ reason: EndReason, _ activity: Activity, _ partition: Int,
        _ cohort: Cohort, from source: EventSource
    ) async throws(StoreError) {
        let key = Keys.untold(activity.id, partition, broadcast)
        while true {
            let fields = try await run(Scripts.findUnpublishedPages(untold: key, most: StoredEvents.entriesAtOnce))
            if fields.isEmpty { return }
            for (field, outcomes) in fields {
                if let entry = OutboxEntry(field: String(decoding: field, as: UTF8.self), outcomes: outcomes) {
                    try await publish(entry, of: broadcast, kind, reason, activity, cohort, from: source)
                }
                _ = try await value(RedisCommand("HDEL", key, field))
            }
        }
    }

    private func publish(
        _ entry: OutboxEntry, of broadcast: UniqueID, _ kind: PushEvent, _ reason: EndReason, _ activity: Activity,
        _ cohort: Cohort, from source: EventSource
    ) async throws(StoreError) {
        let parts = entry.parts(kind)
        let identities = try await self.identities(entry.page, of: activity.id)
        let now = wallClock()
        for (type, part, indexes) in parts {
            let devices = try await names(indexes.map(identities.identity), tenantID: activity.tenantID)
            let event = RecordedEvent(
                id: RecordedEvent.id(type, broadcast, entry.field, part), type: type, time: now,
                data: EventData.devices(
                    devices, count: indexes.count, in: activity, cohort,
                    broadcast: broadcast, reason: type.reason(reason)))
            try await publish([event], from: source, tenantID: activity.tenantID)
        }
    }

    /// Returns the devices by insider_id and udid, without those of unknown users.
    private func names(
        _ identities: [IdentityRun.Entry?], tenantID: String
    ) async throws(StoreError) -> [DeviceKey] {
        var keys: [DeviceKey] = []
        let known = identities.compactMap { $0 }
        for start in stride(from: 0, to: known.count, by: StoredEvents.namesAtOnce) {
            let part = known[start..<min(known.count, start + StoredEvents.namesAtOnce)]
            let users = try await devices.users(part.map(\.insiderID), tenantID: tenantID)
            for (identity, user) in zip(part, users) {
                if let udid = user?.udid(ofDevice: identity.device) {
                    keys.append(DeviceKey(insiderID: identity.insiderID, udid: udid))
                }
            }
        }
        return keys
    }
}

extension EventType {
    /// The reason in events about devices whose Live Activity ended or whose token is dead.
    fileprivate func reason(_ reason: EndReason) -> String? {
        switch self {
        case .ended: reason.name
        case .invalidated: EndReason.tokenInvalid.name
        default: nil
        }
    }
}

// Events about broadcasts, activities and single devices.
extension StoredEvents {
    /// The updates of an activity in an hour from which on iOS may slow it down.
    public static let updateBudget = 30

    /// Publishes that a broadcast has finished. Adds events for an update that uses up the hour's budget and for an
    /// expired activity. Idempotent.
    public func publishFinished(_ record: BroadcastRecord, _ activity: Activity) async throws(StoreError) {
        let time = record.finishedAt ?? wallClock()
        var events = [
            RecordedEvent(
                id: RecordedEvent.id(.broadcastFinished, record.id), type: .broadcastFinished, time: time,
                data: EventData.finished(record, activity))
        ]
        let usesUpBudget = record.updatesThisHour == StoredEvents.updateBudget && record.startedAt != nil
        if record.kind == .update, usesUpBudget {
            let event = RecordedEvent(
                id: RecordedEvent.id(.updateBudget, record.id), type: .updateBudget, time: time,
                data: EventData.updateBudget(record, activity))
            events.insert(event, at: 0)
        }
        if record.kind == .end, record.endReason == .expired || record.endReason == .lifetime {
            events.insert(expired(activity, record.endReason), at: 0)
        }
        try await publish(events, from: record.source, tenantID: record.tenantID)
    }

    /// Publishes that an activity expired before its start. Must run before the step that ends the activity, because
    /// that step may be repeated. Idempotent.
    public func publishExpired(_ activity: Activity, _ reason: EndReason) async throws(StoreError) {
        guard try await recordsEvents(activity.tenantID) else { return }
        try await publish(
            [expired(activity, reason)], from: EventSource(ofEndOf: activity), tenantID: activity.tenantID)
    }

    private func expired(_ activity: Activity, _ reason: EndReason) -> RecordedEvent {
        RecordedEvent(
            id: RecordedEvent.id(.activityExpired, activity.id), type: .activityExpired, time: wallClock(),
            data: EventData.expired(activity, reason))
    }

    /// Publishes that a Live Activity has ended. Must run before its state changes, so that a repeated report publishes
    /// the same event.
    func publishEnded(
        _ key: DeviceKey, slot: UInt32, in record: ActivityRecord, _ reason: EndReason
    ) async throws(StoreError) {
        let activity = record.activity
        guard try await recordsEvents(activity.tenantID) else { return }
        let event = RecordedEvent(
            id: RecordedEvent.id(.ended, activity.id, slot, reason.name), type: .ended, time: wallClock(),
            data: EventData.devices(
                [key], count: 1, in: activity, record.cohort(ofPage: RosterGeometry.page(ofSlot: slot)), broadcast: nil,
                reason: reason.name))
        try await publish([event], from: .device, tenantID: activity.tenantID)
    }

    /// Publishes that a Live Activity received its end late, because it was reported after the end.
    public func publishLateEnd(_ order: BroadcastOrder, slot: UInt32) async throws(StoreError) {
        let page = RosterGeometry.page(ofSlot: slot)
        let identities = try await self.identities(page, of: order.activity.id)
        let devices = try await names(
            [identities.identity(RosterGeometry.index(ofSlot: slot))], tenantID: order.activity.tenantID)
        let event = RecordedEvent(
            id: RecordedEvent.id(.ended, order.id, "late", slot), type: .ended, time: wallClock(),
            data: EventData.devices(
                devices, count: 1, in: order.activity, Cohort(RosterGeometry.kind(ofSlot: slot)), broadcast: order.id,
                reason: order.endReason.name))
        try await publish([event], from: .device, tenantID: order.activity.tenantID)
    }
}
