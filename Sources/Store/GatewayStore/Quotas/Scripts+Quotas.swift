// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let addRequestsScript = RedisScript(
        name: "add-requests", source: String(cString: store_script_add_requests()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Adds allowed requests to the window that all gateways share.
    static func addRequests(
        requests: String, count: some RedisArgumentConvertible, limit: some RedisArgumentConvertible,
        window: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(addRequestsScript, [requests], [count, limit, window], read: ScriptReply.int)
    }

    struct AddUsageReply {
        let users: Int
        let devices: Int
        let fresh: Int
        let wait: Int
        let givenUsers: Int
        let givenDevices: Int
        let short: Int
        let lost: Bool
        let crossings: [String]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 8,
                let users = ScriptReply.int(parts[0]),
                let devices = ScriptReply.int(parts[1]),
                let fresh = ScriptReply.int(parts[2]),
                let wait = ScriptReply.int(parts[3]),
                let givenUsers = ScriptReply.int(parts[4]),
                let givenDevices = ScriptReply.int(parts[5]),
                let short = ScriptReply.int(parts[6]),
                let lost = ScriptReply.flag(parts[7]),
                let crossings = ScriptReply.array(ScriptReply.text)(.array(Array(parts[8...])))
            else { return nil }
            return Self(
                users: users, devices: devices, fresh: fresh, wait: wait, givenUsers: givenUsers,
                givenDevices: givenDevices, short: short, lost: lost, crossings: crossings)
        }
    }

    static let addUsageScript = RedisScript(
        name: "add-usage", source: String(cString: store_script_add_usage()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 18, group: 1)))

    /// Adds a gateway's counts since its last report: users and devices that came or went, and new devices.
    static func addUsage(
        usage: String, users: some RedisArgumentConvertible, devices: some RedisArgumentConvertible,
        fresh: some RedisArgumentConvertible, holder: some RedisArgumentConvertible,
        batch: some RedisArgumentConvertible, remembered: some RedisArgumentConvertible,
        tells: some RedisArgumentConvertible, turn: some RedisArgumentConvertible,
        usersHeld: some RedisArgumentConvertible, devicesHeld: some RedisArgumentConvertible,
        need: some RedisArgumentConvertible, wish: some RedisArgumentConvertible, window: some RedisArgumentConvertible,
        kept: some RedisArgumentConvertible, recounting: some RedisArgumentConvertible,
        usersLimit: some RedisArgumentConvertible, devicesLimit: some RedisArgumentConvertible,
        freshLimit: some RedisArgumentConvertible, names: [any RedisArgumentConvertible]
    ) -> ScriptCall<AddUsageReply> {
        ScriptCall(
            addUsageScript, [usage],
            [
                users, devices, fresh, holder, batch, remembered, tells, turn, usersHeld, devicesHeld, need, wish,
                window, kept, recounting, usersLimit, devicesLimit, freshLimit,
            ] + names, read: AddUsageReply.read)
    }

    static let noteUseScript = RedisScript(
        name: "note-use", source: String(cString: store_script_note_use()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Records the use of a quota, and returns a crossing if it is nearly or fully used.
    static func noteUse(
        usage: String, name: some RedisArgumentConvertible, used: some RedisArgumentConvertible,
        limit: some RedisArgumentConvertible, againAfter: some RedisArgumentConvertible
    ) -> ScriptCall<[String]> {
        ScriptCall(noteUseScript, [usage], [name, used, limit, againAfter], read: ScriptReply.array(ScriptReply.text))
    }

    struct OpenActivityReply {
        let isCounted: Bool
        let count: Int

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let isCounted = ScriptReply.flag(parts[0]),
                let count = ScriptReply.int(parts[1])
            else { return nil }
            return Self(isCounted: isCounted, count: count)
        }
    }

    static let openActivityScript = RedisScript(
        name: "open-activity", source: String(cString: store_script_open_activity()),
        arity: RedisScriptArity(keys: .init(required: 1, optional: 1), arguments: .init(required: 4)))

    /// Counts a device-initiated activity as live unless the limit is reached.
    static func openActivity(
        opened: String, user: String? = nil, activity: some RedisArgumentConvertible,
        endsAt: some RedisArgumentConvertible, now: some RedisArgumentConvertible, limit: some RedisArgumentConvertible
    ) -> ScriptCall<OpenActivityReply> {
        ScriptCall(
            openActivityScript, [opened] + [user].compactMap(\.self), [activity, endsAt, now, limit],
            read: OpenActivityReply.read)
    }

    static let releaseSchedulesScript = RedisScript(
        name: "release-schedules", source: String(cString: store_script_release_schedules()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 0, group: 3)))

    /// Releases the reservations of users' schedules.
    static func releaseSchedules(
        reserved: String, ages: String, released: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(releaseSchedulesScript, [reserved, ages], released, read: ScriptReply.flag)
    }

    struct ReserveScheduleReply {
        let reached: Int
        let isNew: Bool
        let crossings: [String]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let reached = ScriptReply.int(parts[0]),
                let isNew = ScriptReply.flag(parts[1]),
                let crossings = ScriptReply.array(ScriptReply.text)(.array(Array(parts[2...])))
            else { return nil }
            return Self(reached: reached, isNew: isNew, crossings: crossings)
        }
    }

    static let reserveScheduleScript = RedisScript(
        name: "reserve-schedule", source: String(cString: store_script_reserve_schedule()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 12)))

    /// Reserves a schedule of a user's app before it is recorded, unless a quota of its user or tenant is
    /// reached.
    static func reserveSchedule(
        reserved: String, ages: String, usage: String, user: some RedisArgumentConvertible,
        activity: some RedisArgumentConvertible, id: some RedisArgumentConvertible, size: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, kept: some RedisArgumentConvertible,
        countLimit: some RedisArgumentConvertible, bytesLimit: some RedisArgumentConvertible,
        userCountLimit: some RedisArgumentConvertible, userBytesLimit: some RedisArgumentConvertible,
        countName: some RedisArgumentConvertible, bytesName: some RedisArgumentConvertible
    ) -> ScriptCall<ReserveScheduleReply> {
        ScriptCall(
            reserveScheduleScript, [reserved, ages, usage],
            [
                user, activity, id, size, now, kept, countLimit, bytesLimit, userCountLimit, userBytesLimit, countName,
                bytesName,
            ], read: ReserveScheduleReply.read)
    }

    static let slowDownScript = RedisScript(
        name: "slow-down", source: String(cString: store_script_slow_down()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Slows down or pauses the permits of a project, because the provider asks for it.
    static func slowDown(
        quota: String, wait: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(slowDownScript, [quota], [wait, now], read: ScriptReply.flag)
    }

    struct TakePermitsReply {
        let permits: Int
        let wait: Int

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let permits = ScriptReply.int(parts[0]),
                let wait = ScriptReply.int(parts[1])
            else { return nil }
            return Self(permits: permits, wait: wait)
        }
    }

    static let takePermitsScript = RedisScript(
        name: "take-permits", source: String(cString: store_script_take_permits()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Takes permits from a project's quota of messages, which all gateways share.
    static func takePermits(
        quota: String, count: some RedisArgumentConvertible, limit: some RedisArgumentConvertible,
        rampUp: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<TakePermitsReply> {
        ScriptCall(takePermitsScript, [quota], [count, limit, rampUp, now], read: TakePermitsReply.read)
    }
}
