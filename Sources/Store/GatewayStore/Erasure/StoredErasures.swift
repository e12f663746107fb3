public import LiveActivity
import RedisClient
import TimeCore

/// Forgets users and devices, with all that belongs to them.
///
/// 1. `begin` takes them out of the user's hash in one step: from then on nobody knows them, and what was taken is set
///    aside for whoever goes on, this gateway or, by the due queue, another one.
/// 2. Each place in an activity is left (`leave`), after the ends of running Live Activities, which go by the tokens
///    there.
/// 3. Tokens, wishes, lists, segments and events that name the user are dropped (`forgetRest`).
/// 4. `conclude` drops what was set aside. What reports and broadcasts that were under way have written behind that
///    goes with a closing look.
///
/// A device is removed in this way whoever asks: its app, the customer, or a newcomer for which it makes way.
///
/// Every step may be made again by whoever comes after one who was killed.
public final class StoredErasures: StoreFeature {
    let context: StoreContext
    private let queue: ErasureQueue
    let roster: StoredRoster
    let schedules: StoredSchedules
    let segments: StoredSegments
    let followers: StoredFollowers
    let activities: StoredActivities

    init(
        _ context: StoreContext, queue: ErasureQueue, roster: StoredRoster, schedules: StoredSchedules,
        segments: StoredSegments, followers: StoredFollowers, activities: StoredActivities
    ) {
        self.context = context
        self.queue = queue
        self.roster = roster
        self.schedules = schedules
        self.segments = segments
        self.followers = followers
        self.activities = activities
    }

    /// When the closing look comes.
    static let closingPause = TimeInterval.seconds(10)
    /// For how long the closing look finds what it needs, should nobody come to it.
    private static let closingKept = TimeInterval.seconds(600)

    // MARK: Beginning

    /// Begins to erase a user. What is reported from now on is of a new one.
    public func begin(_ insiderID: String, tenantID: String) async throws(StoreError) -> ErasureStart {
        try await queue.begin(insiderID, tenantID: tenantID)
    }

    /// Begins to erase a device.
    public func begin(_ device: DeviceKey, tenantID: String) async throws(StoreError) -> ErasureStart {
        try await queue.begin(device, tenantID: tenantID)
    }

    /// Has erasures that the store begins by itself, of devices that make way, gone on with at once. Without that, and
    /// when it fails, the due queue does.
    public func onBeginning(_ goOn: @escaping @Sendable (Erasure) async -> Void) {
        queue.onBeginning(goOn)
    }

    /// Has a tenant recounted if a gateway was lost that had begun erasures.
    public func checkForLostGateways(_ tenantID: String) {
        queue.checkForLostGateways(tenantID)
    }

    func setAside(_ erasure: Erasure) async throws(StoreError) -> SetAside? {
        SetAside(try await value(RedisCommand("HGETALL", Keys.setAside(erasure))).fields)
    }

    // MARK: Places

    /// A place, or several, that what is erased had in an activity.
    public struct Place: Sendable {
        /// The activity.
        public let record: ActivityRecord
        let aside: SetAside.Place
        /// Of what devices.
        let devices: Set<DeviceKey>
        /// Those with a Live Activity that can be pushed to.
        public let synced: [UInt32]
        /// Whether the activity was the user's own, which the user's app has opened, and no other device of the user is
        /// there.
        public let isOwn: Bool

        var slots: [UInt32] { aside.membership.slots.map(\.slot) }
    }

    /// The places that are not left yet, in activities of which anything is known; nil when there is nothing to do any
    /// more but the closing look.
    public func places(_ erasure: Erasure) async throws(StoreError) -> [Place]? {
        guard let aside = try await setAside(erasure), !aside.isClosing else { return nil }
        let replies = try await values(aside.places.map { RedisCommand("HGETALL", Keys.activity($0.activity)) })
        let devices = Set(aside.udids.values.map { DeviceKey(insiderID: erasure.insiderID, udid: $0) })
        var places: [Place] = []
        for (place, reply) in zip(aside.places, replies) {
            guard let record = ActivityRecord(place.activity, reply.fields) else { continue }
            let slots = place.membership.slots.map(\.slot)
            let isRunning = record.activity.state == .started
            places.append(
                Place(
                    record: record, aside: place, devices: devices,
                    synced: isRunning ? try await roster.slotsWithToken(slots, .update, in: record.activity) : [],
                    isOwn: place.isWhole && record.activity.isOwn(of: erasure.insiderID)))
        }
        return places
    }

    /// Leaves a place: the slots are nobody's, and the activity forgets the user, unless other devices of the user are
    /// there.
    public func leave(
        _ place: Place, _ erasure: Erasure, _ report: inout ErasureReport
    ) async throws(StoreError) {
        let (activity, aside) = (place.record.activity, place.aside)
        // Noted before the slots stop telling, and counted once: whoever is killed in between is repeated.
        let members = try await roster.members(place.slots, in: activity)
        let noted = try await run(
            Scripts.noteMembers, [Keys.setAside(erasure)], [aside.field, aside.membersField, members])
        let devices = Int(noted.int ?? 0)
        try await roster.erase(place.slots, in: activity)
        report.activities += devices > 0 ? 1 : 0
        if activity.isOwn(of: erasure.insiderID) { try await activities.opened.left(activity) }
        report.schedules += try await dropSchedules(of: erasure.insiderID, place)
        _ = try await run(
            Scripts.noteLeaving,
            [
                Keys.activity(activity.id), Keys.driven(activity.id), Keys.left(activity.id, erasure),
                Keys.leaving(activity.id),
            ],
            [
                erasure.insiderID, aside.isWhole ? erasure.insiderID : "", devices,
                aside.isWhole && devices > 0 ? 1 : 0, Int(ErasureQueue.kept.millisecondsRoundedUp),
            ])
        if place.isOwn, let id = activity.externalID {
            let name = ExternalName(id, type: activity.type, owner: erasure.insiderID)
            try await activities.forget(name, of: activity)
        }
    }

    /// How often a schedule is changed that others change at the same time.
    private static let attempts = 5

    /// Drops the schedules of a user's app, and takes the user out of the lists of customers' ones; only the devices
    /// that go while the user has others there.
    private func dropSchedules(of insiderID: String, _ place: Place) async throws(StoreError) -> Int {
        let activity = place.record.activity
        var dropped = 0
        if place.aside.isWhole {
            for schedule in try await schedules.schedules(of: activity.id, owner: insiderID) {
                if try await schedules.cancel(schedule) { dropped += 1 }
            }
        }
        for listed in try await schedules.schedules(of: activity.id, pending: true) {
            var schedule: Schedule? = listed
            for _ in 0..<StoredErasures.attempts {
                guard let present = schedule, let targets = present.targets else { break }
                let others = targets.filter {
                    !$0.isOf(insiderID) || !place.aside.isWhole && !place.devices.contains($0)
                }
                guard others.count < targets.count else { break }
                let isDone =
                    others.isEmpty
                    ? try await schedules.cancel(present) : try await schedules.narrow(present, to: others)
                if isDone {
                    dropped += others.isEmpty ? 1 : 0
                    break
                }
                schedule = try await schedules.schedule(present.id, in: activity.id)
            }
        }
        return dropped
    }

    // MARK: The end

    /// Nothing is left to do, not even the closing look.
    public func close(_ erasure: Erasure) async throws(StoreError) {
        _ = try await values([
            RedisCommand("DEL", Keys.setAside(erasure)),
            RedisCommand(
                "HDEL", Keys.openErasures(erasure.tenantID, erasure.insiderID), erasure.description),
            RedisCommand("ZREM", Keys.due(erasure.shard), erasure.description),
        ])
    }

    /// Drops what was set aside, and has the closing look come, unless that would look for nothing. Whoever comes
    /// second finds that done.
    public func conclude(_ erasure: Erasure) async throws(StoreError) {
        let key = Keys.setAside(erasure)
        guard let aside = try await setAside(erasure), !aside.isClosing else { return }
        let tokens = aside.tokens(of: erasure.insiderID)
        guard erasure.isOfUser || !tokens.isEmpty else {
            try await close(erasure)
            return try await forgetCounting(aside, erasure)
        }
        var fields: [any RedisArgumentConvertible] = [SetAside.closingField, ""]
        for (token, device, _) in tokens {
            fields += [
                TokenIndex(token, tenantID: erasure.tenantID).digest, TokenOwner.Spellings(device).bytes,
            ]
        }
        _ = try await run(
            Scripts.concludeErasure, [key, Keys.openErasures(erasure.tenantID, erasure.insiderID)],
            [Int(StoredErasures.closingKept.millisecondsRoundedUp), erasure.description] + fields)
        try await forgetCounting(aside, erasure)
        let closing = wallClock() + StoredErasures.closingPause
        _ = try await value(
            RedisCommand("ZADD", Keys.due(erasure.shard), closing.milliseconds, erasure.description))
        noteDue(erasure.shard, at: closing.milliseconds)
    }

    /// Nobody repeats the erasure any more; but another gateway may be about to have an activity count.
    private func forgetCounting(_ aside: SetAside, _ erasure: Erasure) async throws(StoreError) {
        let soon = ErasureQueue.remembered.millisecondsRoundedUp
        let commands = aside.places.map { RedisCommand("PEXPIRE", Keys.left($0.activity, erasure), Int(soon)) }
        if !commands.isEmpty { _ = try await values(commands) }
    }

    /// Something is left for which it is too early.
    public func postpone(_ erasure: Erasure, by pause: TimeInterval) async throws(StoreError) {
        let time = wallClock() + pause
        _ = try await value(
            RedisCommand("ZADD", Keys.due(erasure.shard), "XX", time.milliseconds, erasure.description))
        noteDue(erasure.shard, at: time.milliseconds)
    }

    /// Whether so much time has passed since it was asked for.
    public func isOlder(_ erasure: Erasure, than age: TimeInterval) -> Bool { erasure.erasedAt + age <= wallClock() }
}
