import LiveActivity
import Reactor
import RedisClient

// A report that names one activity, by id or topic, and has the name or the token of another one's Live Activity. It came
// late, or the app took the wrong activity. It counts for the activity to which the Live Activity belongs. In the same way
// it counts for the login to which the Live Activity belongs, see `OtherLogins`.
extension SyncCall {
    /// True if nothing but its token says which Live Activity is meant.
    var isNameless: Bool { reportedToken != nil && systemActivityID == nil }

    /// Begins with the place that was found in another way.
    func begin(_ found: ReportedPlace) {
        switch found {
        case .place(let record, let slot): begin(record, slot: slot)
        case .ofOtherLogin(let login, let record, let slot): begin(as: login, record, slot: slot)
        case .former(let record, let slot): finish(.other(.synced(record, slot: slot, lateEnd: nil)))
        case .ambiguous(let candidates): finish(.other(.ambiguous(candidates)))
        case .none: finish(.other(.notFound))
        }
    }

    /// Goes on as if the other login of the phone had reported the same.
    private func begin(as login: DeviceKey, _ record: ActivityRecord, slot: UInt32) {
        let call = SyncCall(
            reports, login, tenantID: tenantID, token: reportedToken, systemActivityID: systemActivityID
        ) { [self] in finish($0) }
        call.lookup.isNameNew = true
        call.begin(record, slot: slot)
    }

    /// Goes on with the place that has or had the token, else with this one.
    func findOwner(_ known: KnownActivity, _ slot: UInt32) {
        guard let token = reportedToken else { return finish(.other(.notFound)) }
        let (reports, device, place) = (reports, device, (record: known.record, slot: slot))
        let reported = ReportedLiveActivity(token: token, name: systemActivityID)
        let mayBeOfOtherLogin = lookup.otherPlaces == .ofOtherLogins
        // Confined to the reactor: it goes on there.
        nonisolated(unsafe) let (call, known) = (self, known)
        Task {
            let result: Result<ReportedPlace?, StoreError>
            do throws(StoreError) {
                var found: ReportedPlace?
                if mayBeOfOtherLogin {
                    found = try await reports.otherLogins.found(reported, device, place.record, slot: place.slot)
                }
                if found == nil, reported.name == nil {
                    found = try await reports.placeInOtherActivity(
                        ofToken: token, device, named: place.record.activity)
                }
                result = .success(found)
            } catch {
                result = .failure(error)
            }
            let isTaken = reports.redis.reactor.execute {
                switch result {
                case .success(let owner):
                    (call.written, call.lookup.otherPlaces) = (nil, .none)
                    if let owner { call.begin(owner) } else { call.writeAgain(known, slot) }
                case .failure(let error): call.finish(.failed(error))
                }
            }
            if !isTaken { call.finish(.failed(.unavailable("the reactor has stopped"))) }
        }
    }
}

extension StoredReports {
    /// The device's place in another activity than the named one whose Live Activity has or had the token; nil for none.
    fileprivate func placeInOtherActivity(
        ofToken token: [UInt8], _ key: DeviceKey, named: Activity
    ) async throws(StoreError) -> ReportedPlace? {
        let owner = try await typeSearch.owner(of: token, key, named: named)
        guard let owner, owner.id != named.id else { return nil }
        return try await place(owner, of: key, tenantID: named.tenantID)
    }

    /// The device's place in the activity of a token, where a token that it has no more displaces none.
    func place(_ owner: TypeSearch.Owner, of key: DeviceKey, tenantID: String) async throws(StoreError) -> ReportedPlace
    {
        let place = try await place(of: key, in: owner.id, tenantID: tenantID)
        guard let place, !owner.rank.isCurrent else { return ReportedPlace(place) }
        return .former(place.record, slot: place.slot)
    }
}
