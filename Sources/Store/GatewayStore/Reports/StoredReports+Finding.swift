public import LiveActivity
import RedisClient

/// An activity that a report may be for which names its type alone.
public struct ActivityCandidate: Equatable, Sendable {
    /// Its id.
    public let activityID: UniqueID
    /// The name of the topic whose activity it is; nil for none.
    public let topic: String?
    /// The app's own name of it, where an app opened it; nil for none.
    public let externalID: String?

    init(_ record: ActivityRecord) {
        activityID = record.activity.id
        topic = record.topic?.name
        externalID = record.activity.externalID
    }
}

/// The result of a search for the activity of a report.
enum ReportedPlace {
    /// A device's place in an activity.
    typealias Place = (record: ActivityRecord, slot: UInt32)

    case none
    case place(ActivityRecord, slot: UInt32)
    /// The Live Activity is that of another login of the phone.
    case ofOtherLogin(DeviceKey, ActivityRecord, slot: UInt32)
    /// The reported token is an earlier one of this place: nothing is to be written.
    case former(ActivityRecord, slot: UInt32)
    case ambiguous([ActivityCandidate])

    init(_ place: Place?) {
        self = place.map { .place($0.record, slot: $0.slot) } ?? .none
    }
}

// Finds the activity that a report is for, and the device's place in it.
extension StoredReports {
    /// - Parameters:
    ///   - token: The reported update token, if there is one.
    ///   - name: The system's id of the Live Activity, if the report has it.
    ///   - isDismissed: True if it reports a dismissal.
    func find(
        _ reference: ActivityReference, _ key: DeviceKey, tenantID: String, _ limits: TenantLimits = .standard,
        token: [UInt8]? = nil, name: String? = nil, isDismissed: Bool = false
    ) async throws(StoreError) -> ReportedPlace {
        let reported = ReportedLiveActivity(token: token, name: name)
        switch reference {
        case .id(let id, _): return try await place(of: reported, key, in: id, tenantID: tenantID)
        case .topic(let topic, _):
            let reply = try await value(topicActivity(TopicID(tenantID: tenantID, name: topic)))
            guard let id = reply.string.flatMap({ UniqueID($0) }) else { return .none }
            return try await place(of: reported, key, in: id, tenantID: tenantID)
        case .system(let systemID):
            if let id = try await activityID(ofLiveActivity: systemID, key, tenantID: tenantID) {
                return ReportedPlace(try await place(of: key, in: id, tenantID: tenantID))
            }
            let user = try await devices.user(key.insiderID, tenantID: tenantID)
            let named = ReportedLiveActivity(token: nil, name: systemID)
            return try await otherLogins.search(named, key, user, ofType: nil, tenantID: tenantID).known ?? .none
        case .external(let externalID, let type, let isOwn):
            let external = ExternalName(externalID, type: type, owner: isOwn ? key.insiderID : nil)
            if isDismissed {
                let id = try await activities.deviceInitiatedActivity(external, tenantID: tenantID)
                guard let id else { return .none }
                return try await place(of: reported, key, in: id, tenantID: tenantID)
            }
            return try await joinDeviceInitiatedActivity(
                external, key, tenantID: tenantID, limits, token: token, name: name)
        case .ofType(let type):
            if let name, let id = try await activityID(ofLiveActivity: name, key, tenantID: tenantID) {
                let place = try await place(of: key, in: id, tenantID: tenantID)
                // The name of an expired activity leads to no other one.
                guard let place, !place.record.activity.type.utf8.elementsEqual(type.utf8) else {
                    return ReportedPlace(place)
                }
            }
            return try await find(reported, key, ofType: type, tenantID: tenantID, isDismissed: isDismissed)
        }
    }

    /// The place of a Live Activity with an unknown name, among those of the phone in activities of a type.
    /// - Parameter topic: The topic whose activities are compared; nil for all activities of the type.
    func find(
        _ reported: ReportedLiveActivity, _ key: DeviceKey, ofType type: String, in topic: String? = nil,
        tenantID: String, isDismissed: Bool = false
    ) async throws(StoreError) -> ReportedPlace {
        let user = try await devices.user(key.insiderID, tenantID: tenantID)
        let others = try await otherLogins.search(reported, key, user, ofType: type, tenantID: tenantID)
        if let known = others.known { return known }
        let shown = try await otherLogins.shown(others, reported)
        return try await typeSearch.find(
            reported, key, user, ofType: type, beside: shown, isDismissed: isDismissed, in: topic)
    }

    /// The device's place in an activity, else that of another login of the phone.
    private func place(
        of reported: ReportedLiveActivity, _ key: DeviceKey, in id: UniqueID, tenantID: String
    ) async throws(StoreError) -> ReportedPlace {
        guard let (record, slot) = try await readSlot(of: key, in: id, tenantID: tenantID) else { return .none }
        if let slot { return .place(record, slot: slot) }
        return try await otherLogins.find(reported, key, record, slot: nil) ?? .none
    }

    /// The place of a device in an activity whose time is not up.
    func place(of key: DeviceKey, in id: UniqueID, tenantID: String) async throws(StoreError) -> ReportedPlace.Place? {
        guard let (record, slot) = try await readSlot(of: key, in: id, tenantID: tenantID), let slot else { return nil }
        return (record, slot)
    }

    /// An activity whose time is not up, and the device's slot in it; nil for no activity.
    private func readSlot(
        of key: DeviceKey, in id: UniqueID, tenantID: String
    ) async throws(StoreError) -> (record: ActivityRecord, slot: UInt32?)? {
        let replies = try await values([
            roster.slotLookup(key, in: id, tenantID: tenantID), RedisCommand("HGETALL", Keys.activity(id)),
        ])
        guard let record = ActivityRecord(id, replies[1].fields), record.activity.tenantID == tenantID,
            record.activity.endsAt > wallClock()
        else { return nil }
        return (record, StoredRoster.slot(replies[0]))
    }

    /// Asks for the activity that a topic made last.
    func topicActivity(_ topic: TopicID) -> RedisCommand { RedisCommand("HGET", Keys.topic(topic), "activity") }
}
