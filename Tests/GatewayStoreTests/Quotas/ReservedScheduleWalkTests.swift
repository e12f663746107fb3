import Delivery
import LiveActivity
import RedisClient
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

/// The rules of the quotas of schedules, by a walk over all reservations.
private struct ReservationModel {
    struct Reservation: Equatable {
        let user: Int
        let bytes: Int
        /// Epoch seconds.
        let since: Int64
    }

    let limits: TenantLimits
    var reservations: [UniqueID: Reservation] = [:]
    /// The schedules that wait, by their users.
    var records: [UniqueID: (schedule: Schedule, user: Int)] = [:]
    /// The activities that have ended.
    var ended: Set<UniqueID> = []

    var bytes: Int { reservations.values.reduce(0) { $0 + $1.bytes } }

    private mutating func dropUseless(ofUser user: Int?, _ now: WallTime) -> Bool {
        let settled = now.milliseconds - Int64(ReservedSchedules.settling.millisecondsRoundedUp)
        let useless = reservations.filter { id, reservation in
            guard user == nil || reservation.user == user else { return false }
            guard let record = records[id] else { return reservation.since * 1000 < settled }
            return ended.contains(record.schedule.activityID)
        }
        for id in useless.keys { (reservations[id], records[id]) = (nil, nil) }
        return !useless.isEmpty
    }

    private func reached(_ user: Int, _ bytes: Int) -> TenantLimits.Limit? {
        let own = reservations.values.filter { $0.user == user }
        if own.count >= limits[.appSchedulesPerUser] { return .appSchedulesPerUser }
        if own.reduce(bytes, { $0 + $1.bytes }) > limits[.appScheduleBytesPerUser] { return .appScheduleBytesPerUser }
        if reservations.count >= limits[.appSchedules] { return .appSchedules }
        return self.bytes + bytes > limits[.appScheduleBytes] ? .appScheduleBytes : nil
    }

    /// Reserves, and gives the limit that is reached.
    mutating func reserve(_ id: UniqueID, _ user: Int, _ bytes: Int, _ now: WallTime) -> TenantLimits.Limit? {
        let seconds = now.milliseconds / 1000
        let oldest = seconds - Int64(ReservedSchedules.life.nanoseconds / 1_000_000_000)
        reservations = reservations.filter { $0.value.since > oldest }
        while reservations[id] == nil, let limit = reached(user, bytes) {
            let isOfUser = limit == .appSchedulesPerUser || limit == .appScheduleBytesPerUser
            guard dropUseless(ofUser: isOfUser ? user : nil, now) else { return limit }
            // A gateway drops useless ones once for a request.
            if let limit = reached(user, bytes) { return limit }
        }
        reservations[id] = Reservation(user: user, bytes: bytes, since: seconds)
        return nil
    }
}

@Suite("Quotas of apps' schedules, against a walk over all reservations")
struct ReservedScheduleWalkTests {
    /// The rules that walks have met.
    fileprivate struct Seen {
        var limits: Set<TenantLimits.Limit> = []
        var dropped = 0
        /// Schedules of ended activities among the dropped ones.
        var hopeless = 0
        var expired = 0
    }

    fileprivate final class Walk: @unchecked Sendable {
        static let users = 4
        let stage: StoreStage
        var random: SeededGenerator
        var model: ReservationModel
        var seen = Seen()
        /// The open activities, and at the end one that has ended.
        var activities: [Activity] = []
        /// The names of the open activities.
        var names = ["a", "b"]
        /// Every activity of the walk that Redis still has.
        var known: [UniqueID: Activity] = [:]
        var places: [Int: Set<UniqueID>] = [:]

        init(_ stage: StoreStage, seed: UInt64) async throws {
            self.stage = stage
            random = SeededGenerator(seed: seed)
            var limits = TenantLimits.standard
            limits.set(.appSchedules, 11)
            limits.set(.appScheduleBytes, 3600)
            limits.set(.appSchedulesPerUser, 4)
            limits.set(.appScheduleBytesPerUser, 1500)
            model = ReservationModel(limits: limits)
            try await stage.addDevices(0..<Walk.users)
            for name in names + ["over"] { activities.append(try await open(0, name)) }
            for user in 1..<Walk.users { try await enter(user) }
            try await markAsEnded(activities[2])
        }

        private func markAsEnded(_ activity: Activity) async throws {
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.activity(activity.id), "state", Int(Activity.State.dead.rawValue)))
            model.ended.insert(activity.id)
        }

        /// A customer ends an activity, and the app opens another one.
        func endActivity() async throws {
            let index = Int.random(in: 0..<2, using: &random)
            try await markAsEnded(activities[index])
            names[index] += "+"
            for user in 0..<Walk.users { try await enter(user) }
        }

        private func open(_ user: Int, _ name: String) async throws -> Activity {
            let outcome = try await stage.store.reports.sync(
                StoreStage.key(user), token: StoreStage.token(user) + "\(name)\(stage.now.milliseconds)".utf8,
                reference: .external(name, type: StoreStage.type, isOwn: false), systemActivityID: nil,
                tenantID: stage.tenant, limits: .standard)
            guard case .synced(let record, _, _) = outcome else { throw StoreError.damaged(outcome.word) }
            known[record.activity.id] = record.activity
            places[user, default: []].insert(record.activity.id)
            return record.activity
        }

        private func enter(_ user: Int) async throws {
            for (index, name) in names.enumerated() { activities[index] = try await open(user, name) }
        }

        private func schedule(_ user: Int, in activity: Activity, bytes: Int) -> Schedule {
            let content = [UInt8](repeating: UInt8(ascii: "x"), count: bytes - 1)
            var schedule = Schedule(
                activityID: activity.id, tenantID: stage.tenant, kind: .update,
                payload: Payload(beforeTimestamp: content, afterTimestamp: [UInt8(ascii: "}")]), priority: nil,
                deliverAt: stage.now + .seconds(3600), createdAt: stage.now)
            schedule.owner = StoreStage.key(user).insiderID
            return schedule
        }

        private func draw() -> (schedule: Schedule, user: Int, activity: Activity, bytes: Int) {
            let user = Int.random(in: 0..<Walk.users, using: &random)
            let activity = activities[
                Int.random(in: 0..<8, using: &random) == 0 ? 2 : Int.random(in: 0..<2, using: &random)]
            let bytes = Int.random(in: 50...600, using: &random)
            return (schedule(user, in: activity, bytes: bytes), user, activity, bytes)
        }

        private func anyRecord() -> (schedule: Schedule, user: Int)? {
            model.records.values.sorted { $0.schedule.id.description < $1.schedule.id.description }
                .randomElement(using: &random)
        }

        /// Notes a reservation that the model expects, and gives the limit that is reached.
        private func expect(_ schedule: Schedule, _ user: Int, _ bytes: Int) -> TenantLimits.Limit? {
            let (before, recorded) = (model.reservations, Set(model.records.keys))
            let limit = model.reserve(schedule.id, user, bytes, stage.now)
            let gone = before.filter { model.reservations[$0.key] == nil }
            let oldest = (stage.now.milliseconds - Int64(ReservedSchedules.life.millisecondsRoundedUp)) / 1000
            seen.expired += gone.values.count { $0.since <= oldest }
            seen.dropped += gone.values.count { $0.since > oldest }
            seen.hopeless += gone.keys.count { recorded.contains($0) }
            if let limit { seen.limits.insert(limit) }
            return limit
        }

        func add() async throws {
            let (schedule, user, activity, bytes) = draw()
            if let limit = expect(schedule, user, bytes) {
                await #expect(throws: StoreError.quotaReached(limit, wait: nil)) {
                    try await stage.store.schedules.add(schedule, to: activity, model.limits)
                }
                return
            }
            let addition = try await stage.store.schedules.add(schedule, to: activity, model.limits)
            #expect(addition == (activity.id == activities[2].id ? .ended : .added))
            if addition == .added {
                model.records[schedule.id] = (schedule, user)
            } else {
                model.reservations[schedule.id] = nil
            }
        }

        /// A request whose answer was lost is made again.
        func repeatRequest() async throws {
            guard let (schedule, user) = anyRecord() else { return }
            let bytes = (schedule.payload?.beforeTimestamp.count ?? 0) + (schedule.payload?.afterTimestamp.count ?? 0)
            let activity = try #require(known[schedule.activityID])
            let wasReserved = model.reservations[schedule.id] != nil
            // One that does not count any more needs room.
            if let limit = expect(schedule, user, bytes) {
                await #expect(throws: StoreError.quotaReached(limit, wait: nil)) {
                    try await stage.store.schedules.add(schedule, to: activity, model.limits)
                }
                return
            }
            let hasEnded = model.ended.contains(activity.id)
            let addition = try await stage.store.schedules.add(schedule, to: activity, model.limits)
            #expect(addition == (hasEnded ? .ended : .known))
            if hasEnded, !wasReserved { model.reservations[schedule.id] = nil }
        }

        /// A gateway is killed before it has recorded what it has reserved; sometimes another one goes on.
        func killBeforeRecord() async throws {
            let (schedule, user, activity, bytes) = draw()
            guard expect(schedule, user, bytes) == nil else {
                await #expect(throws: StoreError.self) {
                    try await stage.store.reserved.reserve(schedule, bytes: bytes, model.limits)
                }
                return
            }
            #expect(try await stage.store.reserved.reserve(schedule, bytes: bytes, model.limits))
            guard activity.id != activities[2].id, Bool.random(using: &random) else { return }
            #expect(expect(schedule, user, bytes) == nil)
            #expect(try await stage.store.schedules.add(schedule, to: activity, model.limits) == .added)
            model.records[schedule.id] = (schedule, user)
        }

        /// A gateway is killed before it has released what it has concluded.
        func killBeforeRelease() async throws {
            guard let (schedule, _) = anyRecord() else { return }
            let id = schedule.activityID
            #expect(
                try await stage.store.schedules.run(
                    Scripts.concludeSchedule(
                        activity: Keys.activity(id), due: Keys.due(Keys.shard(id)), activityID: id.description,
                        id: schedule.id.description, now: stage.now.milliseconds, state: "done", reason: "")))
            model.records[schedule.id] = nil
        }

        func conclude() async throws {
            guard let (schedule, _) = anyRecord() else { return }
            if Bool.random(using: &random) {
                #expect(try await stage.store.schedules.cancel(schedule))
                #expect(try await stage.store.schedules.cancel(schedule) == false)
            } else {
                try await stage.store.schedules.conclude(schedule, .done, reason: nil)
                await stage.store.schedules.release(schedule)
            }
            model.records[schedule.id] = nil
            model.reservations[schedule.id] = nil
        }

        func cancelAll() async throws {
            let activity = activities[Int.random(in: 0..<2, using: &random)]
            let gone = model.records.values.filter { $0.schedule.activityID == activity.id }
            #expect(try await stage.store.schedules.cancelUsersSchedules(of: activity.id) == gone.count)
            forget(gone.map(\.schedule.id))
        }

        func erase() async throws {
            let user = Int.random(in: 0..<Walk.users, using: &random)
            let start = try await stage.store.erasures.begin(StoreStage.key(user).insiderID, tenantID: stage.tenant)
            try await stage.goOn(with: start.erasure)
            let left = places.removeValue(forKey: user) ?? []
            forget(
                model.records.values.filter { $0.user == user && left.contains($0.schedule.activityID) }
                    .map(\.schedule.id))
            stage.advance(.seconds(1))
            try await stage.addDevices(user..<(user + 1))
            try await enter(user)
        }

        private func forget(_ ids: [UniqueID]) {
            for id in ids { (model.records[id], model.reservations[id]) = (nil, nil) }
        }

        func advance() async throws {
            guard Int.random(in: 0..<6, using: &random) == 0 else {
                return stage.advance(.seconds(Int.random(in: 1...90, using: &random)))
            }
            stage.advance(.seconds(4 * 86_400))
            for activity in known.values where activity.keptUntil <= stage.now { try await expire(activity) }
            for user in 0..<Walk.users { try await enter(user) }
        }

        /// Drops what Redis drops at this time by the test's clock.
        private func expire(_ activity: Activity) async throws {
            for (schedule, user) in model.records.values where schedule.activityID == activity.id {
                let keys = [
                    Keys.schedule(activity.id, schedule.id), Keys.usersSchedules(activity.id),
                    Keys.schedules(ofUser: StoreStage.key(user).insiderID, activity.id),
                ]
                _ = try await stage.store.values(keys.map { RedisCommand("DEL", $0) })
                model.records[schedule.id] = nil
            }
            known[activity.id] = nil
        }

        func check() async throws {
            let use = try await stage.store.reserved.use(stage.tenant)
            #expect(use.count == model.reservations.count && use.bytes == model.bytes)
            let hash = try await stage.store.value(RedisCommand("HGETALL", Keys.reservedSchedules(stage.tenant)))
            var texts: [[UInt8]: [UInt8]] = [:]
            for (name, value) in hash.fields where name.count == 8 { texts[name] = value }
            for user in 0..<Walk.users {
                let text = texts.removeValue(forKey: ReservedSchedules.digest(StoreStage.key(user).insiderID)) ?? []
                let found = ReservedSchedule.all(in: text)
                let expected = model.reservations.filter { $0.value.user == user }
                #expect(found.count == expected.count)
                for one in found {
                    let reservation = ReservationModel.Reservation(
                        user: user, bytes: one.bytes, since: one.since.milliseconds / 1000)
                    #expect(expected[one.id] == reservation)
                }
            }
            #expect(texts.isEmpty)
            for id in known.keys {
                let waiting = model.records.values.count { $0.schedule.activityID == id }
                #expect(try await stage.store.schedules.countOfUsersSchedules(of: id) == waiting)
            }
        }

        /// Ends all schedules. The reservations of killed gateways expire.
        func finish() async throws {
            for activity in known.values { _ = try await stage.store.schedules.cancelUsersSchedules(of: activity.id) }
            forget(model.records.values.map(\.schedule.id))
            try await check()
            stage.advance(ReservedSchedules.life)
            stage.advance(.seconds(2))
            let last = schedule(0, in: activities[0], bytes: 50)
            #expect(expect(last, 0, 50) == nil)
            #expect(try await stage.store.reserved.reserve(last, bytes: 50, model.limits))
            try await check()
            #expect(model.reservations.count == 1)
            await stage.store.schedules.release(last)
            #expect(try await stage.keys("fanfare:{t:*}:schedules*").isEmpty)
        }
    }

    @Test("Random requests, kills, ends and erasures leave the counts as the rules say")
    func walk() async throws {
        var seen = Seen()
        for seed in UInt64(1)...4 {
            try await StoreStage.run { stage in
                let walk = try await Walk(stage, seed: seed)
                for _ in 0..<200 { try await step(walk) }
                try await walk.finish()
                seen.limits.formUnion(walk.seen.limits)
                seen.dropped += walk.seen.dropped
                seen.hopeless += walk.seen.hopeless
                seen.expired += walk.seen.expired
            }
        }
        #expect(seen.limits.count == 4 && seen.dropped > 20 && seen.expired > 4, "a rule was hardly met: \(seen)")
        #expect(seen.hopeless > 4, "a rule was hardly met: \(seen)")
    }

    private func step(_ walk: Walk) async throws {
        switch Int.random(in: 0..<100, using: &walk.random) {
        case 0..<47: try await walk.add()
        case 47..<55: try await walk.repeatRequest()
        case 55..<65: try await walk.killBeforeRecord()
        case 65..<71: try await walk.killBeforeRelease()
        case 71..<82: try await walk.conclude()
        case 82: try await walk.endActivity()
        case 83: try await walk.cancelAll()
        case 84..<87: try await walk.erase()
        default: try await walk.advance()
        }
        try await walk.check()
    }
}
