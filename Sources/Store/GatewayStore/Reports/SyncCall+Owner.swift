import LiveActivity
import RedisClient

// A report with the name or the token of another Live Activity than the one in the place that was found. It came late,
// or the app named the wrong activity. It counts for the activity, and for the login, to which the Live Activity
// belongs.
extension SyncCall {
    /// True if nothing but its token says which Live Activity is meant.
    var isNameless: Bool { reportedToken != nil && systemActivityID == nil }

    /// Begins with the place that was found in another way. The name of its Live Activity may be new.
    func begin(_ found: ReportedPlace) {
        switch found {
        case .place(let record, let slot):
            lookup.isNameNew = true
            begin(record, slot: slot)
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

    /// Goes on with the place to which the token or the name belongs, else with the device's own at `slot`, if any.
    /// - Parameter isOwn: True if that place has had the token, so that only the name is searched there.
    func findOwner(_ known: KnownActivity, _ slot: UInt32?, isOwn: Bool = false) {
        let (reports, device, record) = (reports, device, known.record)
        let reported = ReportedLiveActivity(token: reportedToken, name: systemActivityID)
        let isElsewhere = lookup.otherPlaces == .ofOtherLogins && !isOwn
        let isNew = lookup.isNewByTopic && !isOwn
        wait(for: { () throws(StoreError) in
            var found: ReportedPlace?
            if let slot {
                found = try await reports.otherPlace(of: reported, device, than: (record, slot), isNew: isNew)
            }
            if found == nil, isNew { found = try await reports.topicPlace(of: reported, device, record, slot: slot) }
            if found == nil, isElsewhere {
                found = try await reports.otherLogins.find(reported, device, record, slot: slot)
            }
            return found
        }) { [self] in found($0, known, slot) }
    }

    private func found(_ owner: ReportedPlace?, _ known: KnownActivity, _ slot: UInt32?) {
        (written, lookup.otherPlaces) = (nil, .none)
        switch owner {
        // Until a newer Live Activity reports a token, the earlier one may be the only one on the phone.
        case .former(let record, let place) where record.activity.id == known.id && systemActivityID != nil:
            lookup.otherPlaces = .onlyIfVacant
            self.found(known, slot: place)
        case .some(let owner): begin(owner)
        case nil: self.found(known, slot: slot)
        }
    }
}

extension StoredReports {
    /// The place of a Live Activity that is not the present one of the named place. It is an earlier one there by its
    /// name, or another activity's by its token. Nil for none.
    /// - Parameter isNew: True if the name is a new one, and the topic leads to the named place. The token then
    ///   decides, as it does without a name.
    fileprivate func otherPlace(
        of reported: ReportedLiveActivity, _ key: DeviceKey, than place: ReportedPlace.Place, isNew: Bool
    ) async throws(StoreError) -> ReportedPlace? {
        let activity = place.record.activity
        if let name = reported.name {
            let named = try await typeSearch.liveActivity(named: name, key, slot: place.slot, in: activity)
            if case .earlier(isNamed: true, let isReplaced) = named {
                return isReplaced ? ReportedPlace.none : .former(place.record, slot: place.slot)
            }
            guard isNew else { return nil }
        }
        guard let token = reported.token, let owner = try await typeSearch.owner(of: token, key, named: activity),
            owner.id != activity.id
        else { return nil }
        return try await self.place(owner, of: key, tenantID: activity.tenantID)
    }

    /// The place of the Live Activity in an activity of the topic, by the rules for a report by type. Nil if these
    /// rules leave no doubt that it is the device's own place in the topic's present activity, or if they find none.
    /// - Parameter slot: The device's place in the present activity; nil for none.
    fileprivate func topicPlace(
        of reported: ReportedLiveActivity, _ key: DeviceKey, _ record: ActivityRecord, slot: UInt32?
    ) async throws(StoreError) -> ReportedPlace? {
        guard let topic = record.topic?.name else { return nil }
        let activity = record.activity
        let found = try await find(
            reported, key, ofType: activity.type, in: topic, tenantID: activity.tenantID)
        switch found {
        case .ambiguous, .ofOtherLogin: return found
        case .place where slot == nil: return found
        case .place, .former, .none: return nil
        }
    }

    /// The device's place in the activity of a token, where a token that it has no more displaces none.
    func place(_ owner: TypeSearch.Owner, of key: DeviceKey, tenantID: String) async throws(StoreError) -> ReportedPlace
    {
        let place = try await place(of: key, in: owner.id, tenantID: tenantID)
        guard let place, !owner.rank.isCurrent else { return ReportedPlace(place) }
        return .former(place.record, slot: place.slot)
    }
}
