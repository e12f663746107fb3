public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The activity and the schedule behind a Live Activity that was tapped.
public struct TapAttribution: Equatable, Sendable {
    /// The activity that the Live Activity is one of.
    public let activityID: UniqueID
    /// The schedule that last drove the activity for this user, if it was one.
    public let scheduleID: String?
    /// That schedule's name; nil when it has none.
    public let scheduleName: String?
}

extension StoredReports {
    /// The longest name of a tap, in UTF-8 bytes.
    public static let longestTapID = 64
    /// The most recent taps of a device in an activity that are kept. The limit exists because an app can send any ids.
    static let knownTaps = 32

    /// Counts a tap on a device's Live Activity, also on one that has ended, as long as the activity can be read. A tap
    /// by a device in the activity without a known Live Activity gets the same answer, and is no event.
    /// - Parameters:
    ///   - systemActivityID: The system's id of the Live Activity, if the report has it.
    ///   - reference: The activity, by id or topic, if the report names it. A known id of the system takes precedence.
    ///   - tapID: The app's id of the tap. A repeated id within an hour, among the last 32 of the device, is not
    ///     counted. Pass nil to count every report.
    /// - Returns: Nil if the device does not have the Live Activity.
    public func tap(
        _ key: DeviceKey, systemActivityID: String?, reference: ActivityReference?, tapID: String?, tenantID: String
    ) async throws(StoreError) -> TapAttribution? {
        let name = systemActivityID.map { liveActivity($0, key, tenantID: tenantID) }
        let found = try await values([StoredEvents.eventSwitch(tenantID)] + [name].compactMap(\.self))
        var id = found.count > 1 ? activityID(found[1], key) : nil
        var (owner, isKnown) = (key, id != nil)
        if id == nil, let reference, let place = try await member(key, of: reference, tenantID: tenantID) {
            id = place.activity
            isKnown = try await DeliveryStatus.hadLiveActivity(self.status(of: place.slot, in: place.activity))
        }
        if id == nil, let asked = reference ?? systemActivityID.map({ .system($0) }),
            case .ofOtherLogin(let login, let record, _) = try await find(
                asked, key, tenantID: tenantID, name: systemActivityID)
        {
            (id, owner, isKnown) = (record.activity.id, login, true)
        }
        guard let id, let status = try await reader.status(of: id),
            status.record.activity.tenantID == tenantID
        else { return nil }
        let tap = tapID.map { TapName.text(owner, systemActivityID: systemActivityID ?? id.description, tapID: $0) }
        let noted = try await run(
            Scripts.noteTap(
                activity: Keys.activity(id), taps: tap.map { _ in Keys.taps(id, TapName.device(owner)) },
                insiderID: owner.insiderID, tap: tap ?? "", now: wallClock().milliseconds,
                remembered: EventLimits.remembered.millisecondsRoundedUp, capacity: StoredReports.knownTaps))
        guard let noted else { return nil }
        let driver = Driver(schedule: noted.schedule, name: noted.name)
        if isKnown, found[0].string == "1" {
            let report = LiveActivityReport(
                key: owner, activity: status.record.activity, systemActivityID: systemActivityID, driver: driver)
            try await events.publishTapped(report, tap: tap)
        }
        return TapAttribution(activityID: id, scheduleID: driver?.schedule, scheduleName: driver?.name)
    }

    /// The device's place in the activity of a reference by id or topic, running or not; nil if it is not in it.
    private func member(
        _ key: DeviceKey, of reference: ActivityReference, tenantID: String
    ) async throws(StoreError) -> (activity: UniqueID, slot: UInt32)? {
        let id: UniqueID?
        switch reference {
        case .id(let given, _): id = given
        case .topic(let name, _):
            let topic = TopicID(tenantID: tenantID, name: name)
            id = try await value(topicActivity(topic)).string.flatMap { UniqueID($0) }
        case .ofType, .system, .external: id = nil
        }
        guard let id else { return nil }
        let slot = StoredRoster.slot(try await value(roster.slotLookup(key, in: id, tenantID: tenantID)))
        return slot.map { (id, $0) }
    }

    private func liveActivity(_ systemID: String, _ key: DeviceKey, tenantID: String) -> RedisCommand {
        RedisCommand("HGET", Keys.user(tenantID, key.insiderID), UserRecord.systemActivityField(systemID))
    }

    /// The activity of the Live Activity with this id of the system on the device.
    func activityID(
        ofLiveActivity systemID: String, _ key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> UniqueID? {
        activityID(try await value(liveActivity(systemID, key, tenantID: tenantID)), key)
    }

    private func activityID(_ reply: RedisValue, _ key: DeviceKey) -> UniqueID? {
        guard let liveActivity = reply.bytes.flatMap(LiveActivityName.init),
            liveActivity.udid.elementsEqual(key.udid.utf8)
        else { return nil }
        return liveActivity.activity
    }
}
