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

    /// The device's slot, by the whole hash of its user.
    func readUserLookup(_ parts: RedisReplyView.Elements) -> UInt32? {
        var membership, number: UnsafeRawBufferPointer?
        var index = 0
        while index + 1 < parts.count {
            let (name, value) = (parts[index].bytes, parts[index + 1].bytes)
            index += 2
            if name.elementsEqual(deviceField) {
                number = value
            } else if name.elementsEqual(membershipField) {
                membership = value
            } else if name.first == UInt8(ascii: "m") {
                mayBeElsewhere = true
            }
        }
        guard let membership, let number = number.flatMap({ DeviceRecord.number(in: $0) }) else { return nil }
        return Membership.slot(device: number, in: membership)
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
                result = .success(try await reports.place(ofToken: token, device, named: activity))
            } catch {
                result = .failure(error)
            }
            let isTaken = reports.redis.reactor.execute {
                switch result {
                case .success(let owner):
                    (call.written, call.mayBeElsewhere) = (nil, false)
                    if let owner { call.begin(owner) } else { call.writeAgain(known, slot) }
                case .failure(let error): call.finish(.failed(error))
                }
            }
            if !isTaken { call.finish(.failed(.unavailable("the reactor has stopped"))) }
        }
    }
}

extension StoredReports {
    /// An activity of a device whose Live Activity has or had a token.
    typealias Owner = (id: UniqueID, rank: ReportedType.TokenRank)

    /// The activity whose Live Activity on the device has or had the token; nil for none.
    /// - Parameter named: the activity that the report names, which comes first.
    func owner(of token: [UInt8], _ key: DeviceKey, named: Activity) async throws(StoreError) -> Owner? {
        let user = try await devices.user(key.insiderID, tenantID: named.tenantID)
        let places = user?.places(key.udid, now: wallClock()) ?? []
        return try await typeSearch.owner(
            of: token, places.filter { $0.id == named.id } + places.filter { $0.id != named.id })
    }

    /// The device's place in the activity whose Live Activity has or had the token; nil for none.
    fileprivate func place(
        ofToken token: [UInt8], _ key: DeviceKey, named: Activity
    ) async throws(StoreError) -> ReportedPlace? {
        guard let owner = try await owner(of: token, key, named: named) else { return nil }
        return try await place(owner, of: key, tenantID: named.tenantID)
    }

    /// The device's place in the activity of a token, where a token that it has no more displaces none.
    func place(_ owner: Owner, of key: DeviceKey, tenantID: String) async throws(StoreError) -> ReportedPlace {
        let place = try await place(of: key, in: owner.id, tenantID: tenantID)
        guard let place, !owner.rank.isCurrent else { return ReportedPlace(place) }
        return .former(place.record, slot: place.slot)
    }
}
