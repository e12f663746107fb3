import LiveActivity
import Reactor
import RedisClient

// A report that names one activity, and a Live Activity of another one. It came late, or the app took the wrong activity.
extension SyncCall {
    /// Goes on with the activity of the Live Activity's name if the token is, or was, reported for it. Else goes on with
    /// the activity that the report names.
    func findOwner(of token: [UInt8], in named: UniqueID, else known: KnownActivity, _ slot: UInt32) {
        let (reports, device, tenantID) = (reports, device, known.record.activity.tenantID)
        // Confined to the reactor: it goes on there.
        nonisolated(unsafe) let (call, known) = (self, known)
        Task {
            let result: Result<ReportedPlace.Place?, StoreError>
            do throws(StoreError) {
                result = .success(try await reports.owner(of: token, device, in: named, tenantID: tenantID))
            } catch {
                result = .failure(error)
            }
            let isTaken = reports.redis.reactor.execute {
                switch result {
                case .success(let owner?): call.begin(owner.record, slot: owner.slot)
                case .success(nil): call.found(known, slot: slot)
                case .failure(let error): call.finish(.failed(error))
                }
            }
            if !isTaken { call.finish(.failed(.unavailable("the reactor has stopped"))) }
        }
    }
}

extension StoredReports {
    /// The device's place in the activity; nil if the token was never reported for it.
    fileprivate func owner(
        of token: [UInt8], _ key: DeviceKey, in activity: UniqueID, tenantID: String
    ) async throws(StoreError) -> ReportedPlace.Place? {
        guard let place = try await place(of: key, in: activity, tenantID: tenantID),
            try await typeSearch.rank(of: token, in: place) != .unknown
        else { return nil }
        return place
    }
}
