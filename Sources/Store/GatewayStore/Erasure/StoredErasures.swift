public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Erases users and devices, with all that belongs to them.
///
/// 1. `begin` takes them out of the user's hash in one step. From then on they are unknown. Their data is set aside for
///    the following steps, which this gateway carries out, or another one by the due queue.
/// 2. `leave` frees each place in an activity, after the end of its Live Activity, because the end needs the token.
/// 3. Tokens, preferences, lists, segments and events that name the user are deleted (`forgetRest`).
/// 4. `conclude` deletes the set-aside data. A closing check deletes data that concurrent reports and broadcasts have
///    written in the meantime.
///
/// The app and the customer can remove a device in this way. A new device of a user at the limit replaces another one.
///
/// Each step is repeatable, because another gateway continues after a kill.
public final class StoredErasures: StoreFeature {
    let context: StoreContext
    private let queue: ErasureQueue
    let roster: StoredRoster
    let schedules: StoredSchedules
    let segments: StoredSegments
    let followers: StoredFollowers
    let activities: StoredActivities
    /// Admits one search of a tenant's events at a time.
    let searches = TenantTurns()

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

    /// The time from the last step to the closing check.
    static let closingPause = TimeInterval.seconds(10)
    /// The time after which the data of a closing check expires if no gateway carries it out.
    private static let closingKept = TimeInterval.seconds(3600)

    // MARK: Beginning

    /// Begins to erase a user. Later reports create a new user.
    public func begin(_ insiderID: String, tenantID: String) async throws(StoreError) -> ErasureStart {
        try await queue.begin(insiderID, tenantID: tenantID)
    }

    /// Begins to erase a device.
    public func begin(_ device: DeviceKey, tenantID: String) async throws(StoreError) -> ErasureStart {
        try await queue.begin(device, tenantID: tenantID)
    }

    /// Sets the function that continues erasures of replaced devices at once. The store begins these by itself. If the
    /// function is not set or fails, the due queue continues.
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

    /// The slots of erased devices in an activity.
    public struct Place: Sendable {
        /// The activity.
        public let record: ActivityRecord
        let aside: SetAside.Place
        /// The devices that had the place.
        let devices: Set<DeviceKey>
        /// The slots whose Live Activity has an update token.
        public let synced: [UInt32]
        /// True if the user's app has opened the activity, and no other device of the user is there.
        public let isOwn: Bool

        var slots: [UInt32] { aside.membership.slots.map(\.slot) }
    }

    /// The places in known activities that the erasure has not left yet; nil when only the closing check remains.
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

    /// Leaves a place. The slots become free, and the activity forgets the user unless other devices of the user are
    /// there.
    public func leave(
        _ place: Place, _ erasure: Erasure, _ report: inout ErasureReport
    ) async throws(StoreError) {
        let (activity, aside) = (place.record.activity, place.aside)
        // The members are counted before their slots are erased, so that a repeated step counts them once.
        let members = try await roster.members(place.slots, in: activity)
        let devices = try await run(
            Scripts.noteMembers(
                aside: Keys.setAside(erasure), place: aside.field, field: aside.membersField, members: members))
        try await roster.erase(place.slots, in: activity)
        report.activities += devices > 0 ? 1 : 0
        if activity.isOwn(of: erasure.insiderID) { try await activities.opened.left(activity) }
        report.schedules += try await dropSchedules(of: erasure.insiderID, place)
        _ = try await run(
            Scripts.noteLeaving(
                activity: Keys.activity(activity.id), driven: Keys.driven(activity.id),
                left: Keys.left(activity.id, erasure), leaving: Keys.leaving(activity.id), erased: erasure.insiderID,
                user: aside.isWhole ? erasure.insiderID : "", devices: devices,
                users: aside.isWhole && devices > 0 ? 1 : 0, kept: Int(ErasureQueue.kept.millisecondsRoundedUp)))
        if place.isOwn, let id = activity.externalID {
            let name = ExternalName(id, type: activity.type, owner: erasure.insiderID)
            try await activities.forget(name, of: activity)
        }
    }

    /// The most attempts to change a schedule that other calls change at the same time.
    private static let attempts = 5

    /// Deletes the schedules of a user's app, and removes the user from the lists of customers' schedules. If the user
    /// keeps devices in the activity, the lists lose only the erased devices.
    private func dropSchedules(of insiderID: String, _ place: Place) async throws(StoreError) -> Int {
        let activity = place.record.activity
        var dropped = 0
        if place.aside.isWhole {
            for schedule in try await schedules.schedules(of: activity.id, owner: insiderID) {
                if try await schedules.cancel(schedule) { dropped += 1 }
            }
        }
        for listed in try await schedules.schedules(of: activity.id, pending: true) {
            for _ in 0..<StoredErasures.attempts {
                let schedule = try await schedules.schedule(listed.id, in: activity.id)
                guard let schedule, let targets = schedule.targets else { break }
                let others = targets.filter {
                    !$0.isOf(insiderID) || !place.aside.isWhole && !place.devices.contains($0)
                }
                guard others.count < targets.count else { break }
                let isDone =
                    others.isEmpty
                    ? try await schedules.cancel(schedule) : try await schedules.narrow(schedule, to: others)
                if isDone {
                    dropped += others.isEmpty ? 1 : 0
                    break
                }
            }
        }
        return dropped
    }

    // MARK: The end

    /// Deletes the erasure with its data, after the closing check or if none is necessary.
    public func close(_ erasure: Erasure) async throws(StoreError) {
        _ = try await values([
            RedisCommand("DEL", Keys.setAside(erasure)),
            RedisCommand(
                "HDEL", Keys.openErasures(erasure.tenantID, erasure.insiderID), erasure.description),
            RedisCommand("ZREM", Keys.due(erasure.shard), erasure.description),
        ])
    }

    /// Deletes the set-aside data, and schedules the closing check unless it has nothing to do. Idempotent.
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
                TokenIndex(token, tenantID: erasure.tenantID).digest, TokenOwner(device).bytes,
            ]
        }
        _ = try await run(
            Scripts.concludeErasure(
                aside: key, open: Keys.openErasures(erasure.tenantID, erasure.insiderID),
                kept: Int(StoredErasures.closingKept.millisecondsRoundedUp), item: erasure.description,
                fields: fields))
        try await forgetCounting(aside, erasure)
        let closing = wallClock() + StoredErasures.closingPause
        _ = try await value(
            RedisCommand("ZADD", Keys.due(erasure.shard), closing.milliseconds, erasure.description))
        noteDue(erasure.shard, at: closing.milliseconds)
    }

    /// Lets the marks of counted places expire. Another gateway may still be counting an activity.
    private func forgetCounting(_ aside: SetAside, _ erasure: Erasure) async throws(StoreError) {
        let soon = ErasureQueue.remembered.millisecondsRoundedUp
        let commands = aside.places.map { RedisCommand("PEXPIRE", Keys.left($0.activity, erasure), Int(soon)) }
        if !commands.isEmpty { _ = try await values(commands) }
    }

    /// Leaves the rest of the erasure to the due queue.
    public func postpone(_ erasure: Erasure, by pause: TimeInterval) async throws(StoreError) {
        let time = wallClock() + pause
        _ = try await value(
            RedisCommand("ZADD", Keys.due(erasure.shard), "XX", time.milliseconds, erasure.description))
        noteDue(erasure.shard, at: time.milliseconds)
    }

    /// True if this time has passed since the erasure began.
    public func isOlder(_ erasure: Erasure, than age: TimeInterval) -> Bool { erasure.erasedAt + age <= wallClock() }
}
