import Delivery
import LiveActivity
import RedisClient

/// The token and the name of a Live Activity, as a device reports them.
struct ReportedLiveActivity: Sendable {
    let token: [UInt8]?
    /// The system's id of the Live Activity.
    let name: String?
}

/// Finds the login to which a reported Live Activity belongs. A phone shows the Live Activities that were started for
/// its former logins, and its app reports them under the present one. Each has one place, that of the login for which
/// it was started. Otherwise each update would be pushed to it twice, and an end for one login would end that of the
/// other.
final class OtherLogins: StoreFeature {
    let context: StoreContext
    private let devices: StoredDevices
    private let typeSearch: TypeSearch

    init(_ context: StoreContext, devices: StoredDevices, typeSearch: TypeSearch) {
        self.context = context
        self.devices = devices
        self.typeSearch = typeSearch
    }

    /// The place of another login to which the Live Activity belongs; nil if it is the device's own.
    /// - Parameters:
    ///   - key: the device that reports.
    ///   - slot: the device's own place; nil for none.
    func place(
        of reported: ReportedLiveActivity, _ key: DeviceKey, in record: ActivityRecord, slot: UInt32?
    ) async throws(StoreError) -> (key: DeviceKey, slot: UInt32)? {
        let activity = record.activity
        guard let user = try await devices.user(key.insiderID, tenantID: activity.tenantID),
            let number = user.device(key.udid)?.number
        else { return nil }
        let slots = Set(user.handOvers(ofDevice: number).filter { $0.activity == activity.id }.map(\.slot))
            .filter { $0 != slot && !RosterGeometry.kind(ofSlot: $0).hasOneToken }.sorted()
        guard !slots.isEmpty else { return nil }
        let matches = try await typeSearch.match(reported.token, slots.map { (activity.id, $0) })
        let logins = try await logins(slots, in: activity, name: reported.name)
        let shown = try await devices.handOvers.shown([user], in: activity.id)[0][number] ?? []
        let places = slots.indices.map { index in
            ReportedType.LoginPlace(
                rank: matches[index].rank, hasName: logins[index]?.hasName ?? false,
                isShown: shown.contains(slots[index]), hasToken: matches[index].hasToken)
        }
        let mayBeOwn = try await mayShowLiveActivity(slot, in: record)
        guard let index = ReportedType.otherLogin(places, mayBeOwn: mayBeOwn), let login = logins[index] else {
            return nil
        }
        return (login.key, slots[index])
    }

    /// `place`, as the result of a search.
    func find(
        _ reported: ReportedLiveActivity, _ key: DeviceKey, _ record: ActivityRecord, slot: UInt32?
    ) async throws(StoreError) -> ReportedPlace? {
        try await place(of: reported, key, in: record, slot: slot).map { .ofOtherLogin($0.key, record, slot: $0.slot) }
    }

    /// The place of another login in a running activity of the type; `.none` for none.
    func find(
        _ reported: ReportedLiveActivity, _ key: DeviceKey, ofType type: String, tenantID: String
    ) async throws(StoreError) -> ReportedPlace {
        guard let user = try await devices.user(key.insiderID, tenantID: tenantID),
            let number = user.device(key.udid)?.number
        else { return .none }
        let ids = Array(Set(user.handOvers(ofDevice: number).map(\.activity)))
        let hashes = try await values(ids.map { RedisCommand("HGETALL", Keys.activity($0)) })
        for (id, hash) in zip(ids, hashes) {
            guard let record = ActivityRecord(id, hash.fields), record.activity.state == .started,
                record.activity.endsAt > wallClock(), record.activity.type.utf8.elementsEqual(type.utf8)
            else { continue }
            let own = user.membership(in: id)?.slot(device: number)
            if let found = try await find(reported, key, record, slot: own) { return found }
        }
        return .none
    }

    /// True if the device may show a Live Activity of its own. An app may open any number.
    private func mayShowLiveActivity(_ slot: UInt32?, in record: ActivityRecord) async throws(StoreError) -> Bool {
        guard let slot, record.activity.externalID == nil else { return true }
        let own = try await typeSearch.match(nil, [(record.activity.id, slot)])[0]
        if own.hasToken { return true }
        return try await typeSearch.mayShowLiveActivity(own.status, slot, record)
    }

    /// The devices of the slots, and whether the name is that of their Live Activity in the activity. Nil for a device
    /// that is not known any more.
    private func logins(
        _ slots: [UInt32], in activity: Activity, name: String?
    ) async throws(StoreError) -> [(key: DeviceKey, hasName: Bool)?] {
        var identities: [IdentityRun.Entry?] = []
        for (page, indexes) in SlotList.byPage(slots) {
            let page = try await self.identities(page, of: activity.id)
            identities += indexes.map { page.identity($0) }
        }
        let users = try await devices.users(identities.map { $0?.insiderID ?? "" }, tenantID: activity.tenantID)
        return zip(identities, users).map { identity, user in
            guard let identity, let user, let udid = user.udid(ofDevice: identity.device) else { return nil }
            let named = name.flatMap { user.activity(ofLiveActivity: $0, of: udid) }
            return (DeviceKey(insiderID: identity.insiderID, udid: udid), named == activity.id)
        }
    }
}
