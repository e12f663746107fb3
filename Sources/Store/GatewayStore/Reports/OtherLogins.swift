import Delivery
import LiveActivity
import RedisClient
import RosterCore

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

    /// A device that reports, as its user's record has it.
    private struct Reporter {
        let user: UserRecord
        let number: UInt32

        /// Nil for a device that has taken over no places, and for a login that has left the phone. A login that has
        /// left may not report the phone's Live Activities any more.
        init?(_ user: UserRecord?, _ udid: String) {
            guard let user, let number = user.device(udid)?.number, !user.handOvers(ofDevice: number).isEmpty
            else { return nil }
            let tokens = user.tokens(ofDevice: number)
            guard tokens.isEmpty || tokens.contains(where: { !$0.token.marks.contains(.elsewhere) }) else { return nil }
            (self.user, self.number) = (user, number)
        }
    }

    /// A place of another login of the phone.
    fileprivate struct Login {
        let key: DeviceKey
        let slot: UInt32
        let place: ReportedType.LoginPlace
    }

    /// The place of another login to which the Live Activity belongs; nil if it is the device's own.
    /// - Parameters:
    ///   - key: the device that reports.
    ///   - slot: the device's own place; nil for none.
    func place(
        of reported: ReportedLiveActivity, _ key: DeviceKey, in record: ActivityRecord, slot: UInt32?
    ) async throws(StoreError) -> (key: DeviceKey, slot: UInt32)? {
        let user = try await devices.user(key.insiderID, tenantID: record.activity.tenantID)
        return try await place(of: reported, Reporter(user, key.udid), in: record, slot: slot)
    }

    private func place(
        of reported: ReportedLiveActivity, _ reporter: Reporter?, in record: ActivityRecord, slot: UInt32?
    ) async throws(StoreError) -> (key: DeviceKey, slot: UInt32)? {
        guard let reporter else { return nil }
        let logins = try await logins(of: reporter, reported, in: record, slot: slot)
        guard !logins.isEmpty else { return nil }
        let mayBeOwn = try await mayShowLiveActivity(slot, in: record)
        return ReportedType.otherLogin(logins.map(\.place), mayBeOwn: mayBeOwn).map {
            (logins[$0].key, logins[$0].slot)
        }
    }

    /// The place of another login to which the Live Activity belongs; nil if it is the device's own. A known token or
    /// name may lead to any activity of the tenant.
    func find(
        _ reported: ReportedLiveActivity, _ key: DeviceKey, _ record: ActivityRecord, slot: UInt32?
    ) async throws(StoreError) -> ReportedPlace? {
        let tenantID = record.activity.tenantID
        let user = try await devices.user(key.insiderID, tenantID: tenantID)
        let others = try await search(reported, key, user, ofType: nil, tenantID: tenantID)
        if let known = others.known { return known }
        return try await place(of: reported, Reporter(user, key.udid), in: record, slot: slot).map {
            .ofOtherLogin($0.key, record, slot: $0.slot)
        }
    }

    /// The places of other logins of the phone, compared with a report.
    struct Search {
        /// The places, each with the device's own slot in the activity; nil for none.
        fileprivate let places: [(login: Login, record: ActivityRecord, own: UInt32?)]

        /// The place whose Live Activity has or had the reported token or name; nil for none.
        var known: ReportedPlace? {
            ReportedType.knownLogin(places.map(\.login.place)).map {
                .ofOtherLogin(places[$0].login.key, places[$0].record, slot: places[$0].login.slot)
            }
        }
    }

    /// Reads the places of other logins, also in activities that have ended.
    /// - Parameters:
    ///   - user: the user of the device that reports; nil if it is not known.
    ///   - type: the type of the activities; nil for any.
    func search(
        _ reported: ReportedLiveActivity, _ key: DeviceKey, _ user: UserRecord?, ofType type: String?, tenantID: String
    ) async throws(StoreError) -> Search {
        guard let reporter = Reporter(user, key.udid) else { return Search(places: []) }
        let ids = Array(Set(reporter.user.handOvers(ofDevice: reporter.number).map(\.activity)))
        let hashes = try await values(ids.map { RedisCommand("HGETALL", Keys.activity($0)) })
        var found: [(login: Login, record: ActivityRecord, own: UInt32?)] = []
        for (id, hash) in zip(ids, hashes) {
            guard let record = ActivityRecord(id, hash.fields), record.activity.tenantID == tenantID,
                type == nil || type == record.activity.type
            else { continue }
            let own = reporter.user.membership(in: id)?.slot(device: reporter.number)
            let logins = try await logins(of: reporter, reported, in: record, slot: own)
            found += logins.map { ($0, record, own) }
        }
        return Search(places: found)
    }

    /// The candidates for a report whose token and name are unknown, at most one in each activity. The phone may show
    /// the Live Activity of another login there, and none of the present login's own. A Live Activity that listens to
    /// a channel reports no token.
    func shown(_ search: Search, _ reported: ReportedLiveActivity) async throws(StoreError) -> [TypeSearch.Candidate] {
        var shown: [TypeSearch.Candidate] = []
        let open = search.places.filter { $0.record.activity.endsAt > wallClock() }
        let byActivity = Dictionary(grouping: open) { $0.record.activity.id }
        for places in byActivity.values {
            guard let index = ReportedType.shownLogin(places.map(\.login.place)) else { continue }
            let (login, record, own) = places[index]
            guard try await !mayShowLiveActivity(own, in: record),
                reported.token == nil || !record.isReachedByChannel(login.slot)
            else { continue }
            var place = ReportedType.Place(
                rank: .unknown, isOfType: true, hasToken: login.place.hasToken,
                hasLostToken: login.place.hasLostToken, stand: record.activity.state == .started ? .running : .over)
            if let name = reported.name,
                case .earlier = try await typeSearch.liveActivity(
                    named: name, login.key, slot: login.slot, in: record.activity)
            {
                place.hasOtherName = true
            }
            shown.append(TypeSearch.Candidate(record: record, slot: login.slot, login: login.key, place: place))
        }
        return shown
    }

    /// The places in an activity of the phone's other logins.
    /// - Parameter slot: the device's own place; nil for none.
    private func logins(
        of reporter: Reporter, _ reported: ReportedLiveActivity, in record: ActivityRecord, slot: UInt32?
    ) async throws(StoreError) -> [Login] {
        let activity = record.activity
        let handOvers = reporter.user.handOvers(ofDevice: reporter.number).filter { $0.activity == activity.id }
        let slots = Set(handOvers.map(\.slot))
            .filter { $0 != slot && !RosterGeometry.kind(ofSlot: $0).hasOneToken }.sorted()
        guard !slots.isEmpty else { return [] }
        let matches = try await typeSearch.match(reported.token, slots.map { (activity.id, $0) })
        let owners = try await owners(of: slots, in: activity, name: reported.name)
        let shown = try await devices.handOvers.shown([reporter.user], in: activity.id)[0][reporter.number] ?? []
        return slots.indices.compactMap { index in
            guard let owner = owners[index] else { return nil }
            let place = ReportedType.LoginPlace(
                rank: matches[index].rank, hasName: owner.hasName, isShown: shown.contains(slots[index]),
                hasToken: matches[index].hasToken, hasLostToken: matches[index].hasLostToken)
            return Login(key: owner.key, slot: slots[index], place: place)
        }
    }

    /// True if the device may show a Live Activity of its own. An app may open any number.
    /// - Parameter slot: the device's own place; nil for none.
    private func mayShowLiveActivity(_ slot: UInt32?, in record: ActivityRecord) async throws(StoreError) -> Bool {
        guard record.activity.externalID == nil else { return true }
        guard let slot else { return false }
        let own = try await typeSearch.match(nil, [(record.activity.id, slot)])[0]
        if own.hasToken { return true }
        return try await typeSearch.mayShowLiveActivity(own.status, slot, record)
    }

    /// The devices of the slots, and whether the name is that of their Live Activity in the activity. Nil for a device
    /// that is not known any more.
    private func owners(
        of slots: [UInt32], in activity: Activity, name: String?
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
