import LiveActivity
import RedisClient

extension SyncCall {
    /// Searches the place to which the token or the name belongs.
    func search(_ record: ActivityRecord, _ slot: UInt32?, isElsewhere: Bool, isNew: Bool) {
        let (reports, device) = (reports, device)
        let reported = ReportedLiveActivity(token: token, name: systemActivityID)
        search { () throws(StoreError) in
            var found: ReportedPlace?
            if let slot {
                found = try await reports.otherPlace(of: reported, device, than: (record, slot), isNew: isNew)
            }
            if found == nil, isNew { found = try await reports.topicPlace(of: reported, device, record, slot: slot) }
            if found == nil, isElsewhere {
                found = try await reports.otherLogins.find(reported, device, record, slot: slot)
            }
            return found
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
