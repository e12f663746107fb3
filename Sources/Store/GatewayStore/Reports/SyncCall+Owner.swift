import LiveActivity
import Reactor
import RedisClient

// A report that names one activity, by id or topic, and has the name or the token of another one's Live Activity. It came
// late, or the app took the wrong activity. It counts for the activity to which the Live Activity belongs.
extension SyncCall {
    /// True if nothing but its token says which Live Activity is meant.
    var isNameless: Bool { reportedToken != nil && systemActivityID == nil }

    /// The activity of a stored name; nil if the name is of another device.
    func activity(named name: UnsafeRawBufferPointer) -> UniqueID? {
        guard let name = LiveActivityName(Array(name)), name.udid.elementsEqual(device.udid.utf8) else { return nil }
        return name.activity
    }

    /// Begins with the place that was found in another way.
    func begin(_ found: ReportedPlace) {
        switch found {
        case .place(let record, let slot): begin(record, slot: slot)
        case .former(let record, let slot): finish(.other(.synced(record, slot: slot, lateEnd: nil)))
        case .ambiguous(let candidates): finish(.other(.ambiguous(candidates)))
        case .none: finish(.other(.notFound))
        }
    }

    /// The token is new to the place. Goes on with the activity that has or had it, else with this one.
    func findOwner(_ known: KnownActivity, _ slot: UInt32) {
        guard let token = reportedToken else { return finish(.other(.notFound)) }
        let (reports, device, activity) = (reports, device, known.record.activity)
        // Confined to the reactor: it goes on there.
        nonisolated(unsafe) let (call, known) = (self, known)
        Task {
            let result: Result<ReportedPlace?, StoreError>
            do throws(StoreError) {
                var place: ReportedPlace?
                if let owner = try await reports.typeSearch.owner(of: token, device, named: activity) {
                    place = try await reports.place(owner, of: device, tenantID: activity.tenantID)
                }
                result = .success(place)
            } catch {
                result = .failure(error)
            }
            let isTaken = reports.redis.reactor.execute {
                switch result {
                case .success(let found):
                    (call.written, call.mayBeElsewhere) = (nil, false)
                    if let found { call.begin(found) } else { call.writeAgain(known, slot) }
                case .failure(let error): call.finish(.failed(error))
                }
            }
            if !isTaken { call.finish(.failed(.unavailable("the reactor has stopped"))) }
        }
    }
}

extension StoredReports {
    /// The device's place in the activity of a token, where a token that it has no more displaces none.
    func place(_ owner: TypeSearch.Owner, of key: DeviceKey, tenantID: String) async throws(StoreError) -> ReportedPlace
    {
        let place = try await place(of: key, in: owner.id, tenantID: tenantID)
        guard let place, !owner.rank.isCurrent else { return ReportedPlace(place) }
        return .former(place.record, slot: place.slot)
    }
}
