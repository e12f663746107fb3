import Delivery
import EventCore
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TimeCore

/// A device whose update token was registered.
struct SyncedDevice {
    let key: DeviceKey
    /// Milliseconds since the start of its Live Activity; nil for one that its app opened.
    let sinceStart: Int?
}

/// Gathers the devices whose update tokens were registered, because a storm of syncs is published in events of many
/// devices. A device that comes alone is published at once, those of the next tenth of a second together. Confined to
/// the reactor.
final class SyncedDevices: @unchecked Sendable {
    /// Devices of one activity that are reached alike.
    private struct Place: Hashable {
        let activity: UniqueID
        let cohort: Cohort
    }

    private struct Batch {
        let activity: Activity
        let cohort: Cohort
        var devices: [SyncedDevice] = []
        var published: [() -> Void] = []
    }

    private static let pause = TimeInterval.milliseconds(100)

    private var batches: [Place: Batch] = [:]
    private var isWaiting = false
    /// Syncs that wait to know whether their tenant has events.
    private var asking: [String: [(Bool) -> Void]] = [:]

    /// Gives true if anything is switched on for the tenant, as it was read a moment ago; false where it cannot be
    /// read. One read answers all syncs of a moment.
    func ask(_ events: StoredEvents, of tenantID: String, _ done: @escaping (Bool) -> Void) {
        let asked = MonotonicTime.now()
        if let known = events.switches[tenantID, asked] { return done(known.areOn) }
        asking[tenantID, default: []].append(done)
        guard asking[tenantID]?.count == 1 else { return }
        events.redis.send(StoredEvents.readSwitches(tenantID)) { [self] result in
            var areOn = false
            if case .success(let reply) = result {
                let read = StoredEvents.switches(reply.copy().array ?? [])
                events.switches.read(read, of: tenantID, asked: asked)
                areOn = read.areOn
            }
            for done in asking.removeValue(forKey: tenantID) ?? [] { done(areOn) }
        }
    }

    /// - Parameter published: called when the event is recorded, or cannot be.
    func add(
        _ device: SyncedDevice, in activity: Activity, _ cohort: Cohort, to events: StoredEvents,
        published: @escaping () -> Void
    ) {
        assert(events.redis.reactor.isOnReactor)
        let place = Place(activity: activity.id, cohort: cohort)
        batches[place, default: Batch(activity: activity, cohort: cohort)].devices.append(device)
        batches[place]?.published.append(published)
        if !isWaiting { publish(to: events) }
    }

    private func publish(to events: StoredEvents) {
        isWaiting = !batches.isEmpty
        guard isWaiting else { return }
        let all = batches.values
        batches = [:]
        for batch in all {
            // Confined to the reactor: it is called there.
            nonisolated(unsafe) let batch = batch
            Task {
                try? await events.publishSynced(batch.devices, in: batch.activity, batch.cohort)
                _ = events.redis.reactor.execute { for published in batch.published { published() } }
            }
        }
        events.redis.reactor.schedule(after: SyncedDevices.pause) { [self] in publish(to: events) }
    }
}

extension StoredEvents {
    /// Publishes devices whose update tokens were registered, some in each event.
    func publishSynced(
        _ devices: [SyncedDevice], in activity: Activity, _ cohort: Cohort
    ) async throws(StoreError) {
        let events = stride(from: 0, to: devices.count, by: EventGeometry.devicesPerEvent).map { first in
            let part = devices[first..<min(devices.count, first + EventGeometry.devicesPerEvent)]
            return RecordedEvent(
                id: RecordedEvent.id(.synced, UniqueID.random()), type: .synced, time: wallClock(),
                data: EventData.synced(part, in: activity, cohort))
        }
        try await publish(events, from: .device, tenantID: activity.tenantID)
    }

    /// Publishes that a device's app has opened a Live Activity. Called before its slot is filled: a report that is cut
    /// off here is made again, and the event has the same id.
    func publishOpened(_ key: DeviceKey, slot: UInt32, in record: ActivityRecord) async throws(StoreError) {
        let activity = record.activity
        let event = RecordedEvent(
            id: RecordedEvent.id(.started, activity.id, slot), type: .started, time: wallClock(),
            data: EventData.devices(
                [key], count: 1, in: activity, record.cohort(ofPage: RosterGeometry.page(ofSlot: slot)), broadcast: nil,
                reason: nil))
        try await publish([event], from: .device, tenantID: activity.tenantID)
    }

    /// True if anything is switched on for the tenant, as it was read a moment ago.
    func areOn(_ tenantID: String) async throws(StoreError) -> Bool {
        let asked = MonotonicTime.now()
        if let known = switches[tenantID, asked] { return known.areOn }
        let read = StoredEvents.switches(try await value(StoredEvents.readSwitches(tenantID)).array ?? [])
        switches.read(read, of: tenantID, asked: asked)
        return read.areOn
    }
}
