import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Finds the place that a report is for which names an activity type alone. See `ReportedType` for the rules.
final class TypeSearch: StoreFeature {
    typealias Place = ReportedPlace.Place
    /// An activity of a device whose Live Activity has or had a token.
    typealias Owner = (id: UniqueID, rank: ReportedType.TokenRank)

    /// A place that a report may be for.
    struct Candidate {
        let record: ActivityRecord
        let slot: UInt32
        /// The login whose place it is; nil for the device's own.
        var login: DeviceKey?
        let place: ReportedType.Place

        fileprivate var startedAt: WallTime { record.activity.startedAt ?? record.activity.createdAt }

        fileprivate var found: ReportedPlace {
            login.map { .ofOtherLogin($0, record, slot: slot) } ?? .place(record, slot: slot)
        }
    }

    let context: StoreContext
    private let roster: StoredRoster
    private let devices: StoredDevices

    init(_ context: StoreContext, roster: StoredRoster, devices: StoredDevices) {
        self.context = context
        self.roster = roster
        self.devices = devices
    }

    /// - Parameters:
    ///   - reported: the token and the name that are reported. The name leads to no activity.
    ///   - user: the user of the device; nil if it is not known.
    ///   - others: the places of other logins whose Live Activities the phone shows.
    ///   - isDismissed: True if the report is of a dismissal.
    ///   - topic: The topic whose activities are compared; nil for all activities of the type.
    func find(
        _ reported: ReportedLiveActivity, _ key: DeviceKey, _ user: UserRecord?, ofType type: String,
        beside others: [Candidate] = [], isDismissed: Bool = false, in topic: String? = nil
    ) async throws(StoreError) -> ReportedPlace {
        func isCompared(_ record: ActivityRecord) -> Bool { topic == nil || record.topic?.name == topic }
        let others = others.filter { isCompared($0.record) }
        let places = try await started(user?.places(key.udid, now: wallClock()) ?? []).filter { isCompared($0.record) }
        let slots = try await match(reported.token, places.map { ($0.record.activity.id, $0.slot) })
        // A device whose move was cut off has a place that was given up, and this report completes the move.
        let mayBeMoving = user?.device(key.udid)?.changedKind != nil
        var candidates: [Candidate] = []
        for (place, slot) in zip(places, slots) {
            var entry = try await self.place(place, slot, reported, ofType: type, mayBeMoving: mayBeMoving)
            if entry.stand != .gone, places.count + others.count > 1, let name = reported.name,
                case .earlier = try await liveActivity(named: name, key, slot: place.slot, in: place.record.activity)
            {
                entry.hasOtherName = true
            }
            candidates.append(Candidate(record: place.record, slot: place.slot, place: entry))
        }
        candidates += others
        candidates.sort { $0.startedAt > $1.startedAt }
        switch ReportedType.decide(candidates.map(\.place), isDismissed: isDismissed) {
        case .none: return .none
        case .place(let index): return candidates[index].found
        case .former(let index): return .former(candidates[index].record, slot: candidates[index].slot)
        case .ambiguous(let indexes): return .ambiguous(indexes.map { ActivityCandidate(candidates[$0].record) })
        }
    }

    /// The place, judged by its slot.
    private func place(
        _ place: Place, _ slot: MatchedSlot, _ reported: ReportedLiveActivity, ofType type: String, mayBeMoving: Bool
    ) async throws(StoreError) -> ReportedType.Place {
        let activity = place.record.activity
        // A Live Activity that listens to a channel waits for no token.
        let hasToken = slot.hasToken || reported.token != nil && place.record.isReachedByChannel(place.slot)
        var entry = ReportedType.Place(
            rank: slot.rank, isOfType: activity.type.utf8.elementsEqual(type.utf8), hasToken: hasToken)
        entry.hasLostToken = slot.hasLostToken
        guard entry.isOfType, activity.endsAt > wallClock() else { return entry }
        let isMoving = mayBeMoving && !DeliveryStatus.isMember(slot.status)
        let mayBeShown = isMoving ? true : try await mayShowLiveActivity(slot.status, place.slot, place.record)
        if mayBeShown {
            entry.stand = activity.state == .started ? .running : .over
        }
        return entry
    }

    /// The activity whose Live Activity on the device has or had the token; nil for none.
    /// - Parameter named: the activity that the report names, which comes first.
    func owner(of token: [UInt8], _ key: DeviceKey, named: Activity) async throws(StoreError) -> Owner? {
        let user = try await devices.user(key.insiderID, tenantID: named.tenantID)
        let places = user?.places(key.udid, now: wallClock()) ?? []
        return try await owner(of: token, places.filter { $0.id == named.id } + places.filter { $0.id != named.id })
    }

    /// The activity, of the places of one device, whose Live Activity has or had the token; nil for none.
    func owner(of token: [UInt8], _ places: [(id: UniqueID, slot: UInt32)]) async throws(StoreError) -> Owner? {
        let ranks = try await match(token, places).map(\.rank)
        return ReportedType.owner(ranks).map { (places[$0].id, ranks[$0]) }
    }

    /// The activities that have started, the newest first.
    private func started(_ places: [(id: UniqueID, slot: UInt32)]) async throws(StoreError) -> [Place] {
        let records = try await values(places.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        return zip(places, records).compactMap { place, fields -> (place: Place, startedAt: WallTime)? in
            guard let record = ActivityRecord(place.id, fields.fields), let startedAt = record.activity.startedAt
            else { return nil }
            return ((record, place.slot), startedAt)
        }.sorted { $0.startedAt > $1.startedAt }.map(\.place)
    }

    /// A slot beside the token that is reported.
    struct MatchedSlot {
        var status = DeliveryStatus.absent
        var hasToken = false
        var hasLostToken = false
        var rank = ReportedType.TokenRank.unknown
    }

    /// See `Scripts.findToken`.
    func match(
        _ token: [UInt8]?, _ places: [(id: UniqueID, slot: UInt32)]
    ) async throws(StoreError) -> [MatchedSlot] {
        let calls = places.map { place in
            // The token of an Android device is the same for all of its Live Activities.
            let isToldByToken = !RosterGeometry.kind(ofSlot: place.slot).hasOneToken
            let keys = roster.updateKeys(place.id, place.slot)
            return Scripts.findToken(
                updatePage: keys.updatePage, statusPage: keys.statusPage, counters: keys.counters,
                index: RosterGeometry.index(ofSlot: place.slot), slot: Int(place.slot),
                token: isToldByToken ? token ?? [] : [])
        }
        var slots: [MatchedSlot] = []
        for (call, reply) in zip(calls, try await values(calls.map(\.command))) {
            let found = try call.reply(reply)
            slots.append(
                MatchedSlot(
                    status: UInt8(clamping: found.status), hasToken: found.held == 2, hasLostToken: found.held == 1,
                    rank: ReportedType.TokenRank(rawValue: found.rank) ?? .unknown))
        }
        return slots
    }

    /// True if the device may show the activity's Live Activity. Delivery statuses are written when a page is done.
    /// Until then a device may have its Live Activity already, if the start that is under way is for it.
    func mayShowLiveActivity(_ status: UInt8, _ slot: UInt32, _ record: ActivityRecord) async throws(StoreError)
        -> Bool
    {
        guard status == DeliveryStatus.registered else { return DeliveryStatus.mayShowLiveActivity(status) }
        let id = record.activity.id
        // The activity's own start, restarts, and those of followers who come late.
        let starts = try await value(RedisCommand("HGETALL", Keys.openBroadcasts(id))).fields
            .compactMap { OpenBroadcast($0, $1) }.filter { $0.kind == .start }
        let records = try await values(
            starts.map { RedisCommand("HMGET", Keys.broadcast(id, $0.id), "state", "scope") })
        return records.contains { reply in
            guard let fields = reply.array, fields.count == 2,
                let state = fields[0].string.flatMap(BroadcastState.init), state == .queued || state == .running
            else { return false }
            return fields[1].bytes.map { SlotList.decode($0).contains(slot) } ?? record.slots.contains(slot)
        }
    }
}
