// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let addSlotJobScript = RedisScript(
        name: "add-slot-job", source: String(cString: store_script_add_slot_job()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Adds the job that sends an end or update to one device which has missed it.
    static func addSlotJob(
        stream: String, broadcast: some RedisArgumentConvertible, activity: some RedisArgumentConvertible,
        part: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(addSlotJobScript, [stream], [broadcast, activity, part], read: ScriptReply.flag)
    }

    enum BeginJobReply {
        case due
        case waits
        case ended

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .due
            case 0: return .waits
            case -1: return .ended
            default: return nil
            }
        }
    }

    static let beginJobScript = RedisScript(
        name: "begin-job", source: String(cString: store_script_begin_job()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 6)))

    /// Decides if it is a job's turn.
    static func beginJob(
        openBroadcasts: String, broadcast: String, activity: String, prefix: some RedisArgumentConvertible,
        order: some RedisArgumentConvertible, part: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        late: some RedisArgumentConvertible, slot: some RedisArgumentConvertible
    ) -> ScriptCall<BeginJobReply> {
        ScriptCall(
            beginJobScript, [openBroadcasts, broadcast, activity], [prefix, order, part, now, late, slot],
            read: BeginJobReply.read)
    }

    enum CompleteJobReply {
        case lost
        case othersLeft
        case wasLast

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case -1: return .lost
            case 0: return .othersLeft
            case 1: return .wasLast
            default: return nil
            }
        }
    }

    static let completeJobScript = RedisScript(
        name: "complete-job", source: String(cString: store_script_complete_job()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 8)))

    /// Records that a job has no page left, or the times of the pushes of a job that is given back.
    static func completeJob(
        stream: String, broadcast: String, activity: String, consumer: some RedisArgumentConvertible,
        entry: some RedisArgumentConvertible, part: some RedisArgumentConvertible, over: some RedisArgumentConvertible,
        keep: some RedisArgumentConvertible, sent: some RedisArgumentConvertible,
        firstPush: some RedisArgumentConvertible, lastPush: some RedisArgumentConvertible
    ) -> ScriptCall<CompleteJobReply> {
        ScriptCall(
            completeJobScript, [stream, broadcast, activity],
            [consumer, entry, part, over, keep, sent, firstPush, lastPush], read: CompleteJobReply.read)
    }

    static let dropStartPagesScript = RedisScript(
        name: "drop-start-pages", source: String(cString: store_script_drop_start_pages()),
        arity: RedisScriptArity(keys: .init(required: 1, group: 1), arguments: .init(required: 1)))

    /// Deletes start pages of a partition that a broadcast no longer needs, unless they are of a later start.
    static func dropStartPages(
        counters: String, startPages: [String], broadcast: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(dropStartPagesScript, [counters] + startPages, [broadcast], read: ScriptReply.flag)
    }

    static let finishBroadcastScript = RedisScript(
        name: "finish-broadcast", source: String(cString: store_script_finish_broadcast()),
        arity: RedisScriptArity(keys: .init(required: 6), arguments: .init(required: 6, group: 2)))

    /// Writes the end of a broadcast, once.
    static func finishBroadcast(
        broadcast: String, openBroadcasts: String, unfinished: String, activity: String, owners: String, counts: String,
        order: some RedisArgumentConvertible, keep: some RedisArgumentConvertible,
        reached: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        member: some RedisArgumentConvertible, hasFailed: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(
            finishBroadcastScript, [broadcast, openBroadcasts, unfinished, activity, owners, counts],
            [order, keep, reached, id, member, hasFailed] + fields, read: ScriptReply.flag)
    }

    static let finishHeldScript = RedisScript(
        name: "finish-held", source: String(cString: store_script_finish_held()),
        arity: RedisScriptArity(keys: .init(required: 4), arguments: .init(required: 6, group: 2)))

    /// Writes the end of a broadcast whose only job its gateway has held from the beginning.
    static func finishHeld(
        held: String, broadcast: String, openBroadcasts: String, activity: String,
        member: some RedisArgumentConvertible, hold: some RedisArgumentConvertible,
        order: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        packedID: some RedisArgumentConvertible, ending: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        var hint = 88
        hint += held.redisByteCountHint
        hint += broadcast.redisByteCountHint
        hint += openBroadcasts.redisByteCountHint
        hint += activity.redisByteCountHint
        hint += member.redisByteCountHint
        hint += hold.redisByteCountHint
        hint += order.redisByteCountHint
        hint += id.redisByteCountHint
        hint += packedID.redisByteCountHint
        hint += ending.redisByteCountHint
        hint += fields.reduce(0) { $0 + $1.redisByteCountHint + 8 }
        var call = RedisScriptCall(finishHeldScript, keyCount: 4, byteCountHint: hint)
        call.append(held)
        call.append(broadcast)
        call.append(openBroadcasts)
        call.append(activity)
        call.append(member)
        call.append(hold)
        call.append(order)
        call.append(id)
        call.append(packedID)
        call.append(ending)
        for value in fields { call.append(value) }
        return ScriptCall(finishHeldScript, (consume call).finish(), read: ScriptReply.flag)
    }

    static let forgetVanishedScript = RedisScript(
        name: "forget-vanished", source: String(cString: store_script_forget_vanished()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 2)))

    /// Removes unfinished broadcasts whose record or activity was evicted, lost or has expired.
    static func forgetVanished(
        unfinished: String, owners: String, counts: String, prefix: some RedisArgumentConvertible,
        count: some RedisArgumentConvertible
    ) -> ScriptCall<[String]> {
        ScriptCall(
            forgetVanishedScript, [unfinished, owners, counts], [prefix, count],
            read: ScriptReply.array(ScriptReply.text))
    }

    static let giveBackItemsScript = RedisScript(
        name: "give-back-items", source: String(cString: store_script_give_back_items()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2, group: 1)))

    /// Gives back items of the due queue for which there was no room.
    static func giveBackItems(
        due: String, takenUntil: some RedisArgumentConvertible, at: some RedisArgumentConvertible,
        items: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(giveBackItemsScript, [due], [takenUntil, at] + items, read: ScriptReply.int)
    }

    static let removeJobScript = RedisScript(
        name: "remove-job", source: String(cString: store_script_remove_job()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Removes a job that has nothing left to do.
    static func removeJob(
        stream: String, consumer: some RedisArgumentConvertible, entry: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(removeJobScript, [stream], [consumer, entry], read: ScriptReply.flag)
    }

    static let renewHeldScript = RedisScript(
        name: "renew-held", source: String(cString: store_script_renew_held()),
        arity: RedisScriptArity(keys: .init(required: 5), arguments: .init(required: 2, group: 2)))

    /// Extends the holds of a gateway on jobs that it got when their broadcasts were recorded.
    static func renewHeld(
        held: String, smallJobs: String, unfinished: String, owners: String, counts: String,
        prefix: some RedisArgumentConvertible, heldUntil: some RedisArgumentConvertible,
        holds: [any RedisArgumentConvertible]
    ) -> ScriptCall<[String]> {
        ScriptCall(
            renewHeldScript, [held, smallJobs, unfinished, owners, counts], [prefix, heldUntil] + holds,
            read: ScriptReply.array(ScriptReply.text))
    }

    static let renewJobsScript = RedisScript(
        name: "renew-jobs", source: String(cString: store_script_renew_jobs()),
        arity: RedisScriptArity(keys: .init(required: 0, group: 1), arguments: .init(required: 2, group: 2)))

    /// Renews a gateway's claim to its jobs, or sets their idle time, so that other gateways take them at once.
    static func renewJobs(
        lanes: [String], consumer: some RedisArgumentConvertible, idle: some RedisArgumentConvertible,
        jobs: [any RedisArgumentConvertible]
    ) -> ScriptCall<[String]> {
        ScriptCall(renewJobsScript, lanes, [consumer, idle] + jobs, read: ScriptReply.array(ScriptReply.text))
    }

    enum TakeJobsReply {
        case quiet(nextDue: String)
        case taken(unfinished: Int, items: [String], unfinishedOf: [RedisField], jobs: [String])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0:
                guard parts.count >= 2,
                    let nextDue = ScriptReply.text(parts[1])
                else { return nil }
                return .quiet(nextDue: nextDue)
            case 1:
                guard parts.count >= 4,
                    let unfinished = ScriptReply.int(parts[1]),
                    let items = ScriptReply.array(ScriptReply.text)(parts[2]),
                    let unfinishedOf = ScriptReply.fields(parts[3]),
                    let jobs = ScriptReply.array(ScriptReply.text)(.array(Array(parts[4...])))
                else { return nil }
                return .taken(unfinished: unfinished, items: items, unfinishedOf: unfinishedOf, jobs: jobs)
            default: return nil
            }
        }
    }

    static let takeJobsScript = RedisScript(
        name: "take-jobs", source: String(cString: store_script_take_jobs()),
        arity: RedisScriptArity(keys: .init(required: 8), arguments: .init(required: 11, group: 1)))

    /// Takes jobs: first the jobs of silent gateways, then new ones, the oldest first.
    static func takeJobs(
        small: String, first: String, updates: String, unfinished: String, due: String, owners: String, counts: String,
        held: String, consumer: some RedisArgumentConvertible, silence: some RedisArgumentConvertible,
        smallWanted: some RedisArgumentConvertible, firstWanted: some RedisArgumentConvertible,
        updatesWanted: some RedisArgumentConvertible, itemsWanted: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, againAt: some RedisArgumentConvertible,
        schedulesWanted: some RedisArgumentConvertible, erasuresWanted: some RedisArgumentConvertible,
        prefix: some RedisArgumentConvertible, full: [any RedisArgumentConvertible]
    ) -> ScriptCall<TakeJobsReply> {
        ScriptCall(
            takeJobsScript, [small, first, updates, unfinished, due, owners, counts, held],
            [
                consumer, silence, smallWanted, firstWanted, updatesWanted, itemsWanted, now, againAt, schedulesWanted,
                erasuresWanted, prefix,
            ] + full, read: TakeJobsReply.read)
    }
}
