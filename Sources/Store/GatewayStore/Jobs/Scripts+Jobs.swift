// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    static let addLateEndScript = ScriptLibrary.embedded["add-late-end"]
    /// Adds the job of a late end, or of an update that is sent to a device which has missed it.
    static func addLateEnd(
        stream: String, broadcast: some RedisArgumentConvertible, activity: some RedisArgumentConvertible,
        part: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(addLateEndScript, [stream], [broadcast, activity, part], read: ScriptReply.flag)
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

    static let beginJobScript = ScriptLibrary.embedded["begin-job"]
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

    static let completeJobScript = ScriptLibrary.embedded["complete-job"]
    /// Records that a job has no page left.
    static func completeJob(
        stream: String, broadcast: String, activity: String, consumer: some RedisArgumentConvertible,
        entry: some RedisArgumentConvertible, part: some RedisArgumentConvertible, keep: some RedisArgumentConvertible,
        sent: some RedisArgumentConvertible, firstPush: some RedisArgumentConvertible,
        lastPush: some RedisArgumentConvertible
    ) -> ScriptCall<CompleteJobReply> {
        ScriptCall(
            completeJobScript, [stream, broadcast, activity], [consumer, entry, part, keep, sent, firstPush, lastPush],
            read: CompleteJobReply.read)
    }

    static let dropStartPagesScript = ScriptLibrary.embedded["drop-start-pages"]
    /// Deletes start pages of a partition that a broadcast no longer needs, unless they are of a later start.
    static func dropStartPages(
        counters: String, startPages: [String], broadcast: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(dropStartPagesScript, [counters] + startPages, [broadcast], read: ScriptReply.flag)
    }

    static let finishBroadcastScript = ScriptLibrary.embedded["finish-broadcast"]
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

    static let forgetVanishedScript = ScriptLibrary.embedded["forget-vanished"]
    /// Removes unfinished broadcasts whose record or activity was evicted, lost or has expired.
    static func forgetVanished(
        unfinished: String, owners: String, counts: String, prefix: some RedisArgumentConvertible,
        count: some RedisArgumentConvertible
    ) -> ScriptCall<[String]> {
        ScriptCall(
            forgetVanishedScript, [unfinished, owners, counts], [prefix, count],
            read: ScriptReply.array(ScriptReply.text))
    }

    static let giveBackItemsScript = ScriptLibrary.embedded["give-back-items"]
    /// Gives back items of the due queue for which there was no room.
    static func giveBackItems(
        due: String, takenUntil: some RedisArgumentConvertible, at: some RedisArgumentConvertible,
        items: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(giveBackItemsScript, [due], [takenUntil, at] + items, read: ScriptReply.int)
    }

    static let removeJobScript = ScriptLibrary.embedded["remove-job"]
    /// Removes a job that has nothing left to do.
    static func removeJob(
        stream: String, consumer: some RedisArgumentConvertible, entry: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(removeJobScript, [stream], [consumer, entry], read: ScriptReply.flag)
    }

    static let renewJobsScript = ScriptLibrary.embedded["renew-jobs"]
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

    static let takeJobsScript = ScriptLibrary.embedded["take-jobs"]
    /// Takes jobs: first the jobs of silent gateways, then new ones, the oldest first.
    static func takeJobs(
        small: String, first: String, updates: String, unfinished: String, due: String, owners: String, counts: String,
        direct: String, consumer: some RedisArgumentConvertible, silence: some RedisArgumentConvertible,
        smallWanted: some RedisArgumentConvertible, firstWanted: some RedisArgumentConvertible,
        updatesWanted: some RedisArgumentConvertible, itemsWanted: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, againAt: some RedisArgumentConvertible,
        schedulesWanted: some RedisArgumentConvertible, erasuresWanted: some RedisArgumentConvertible,
        prefix: some RedisArgumentConvertible, full: [any RedisArgumentConvertible]
    ) -> ScriptCall<TakeJobsReply> {
        ScriptCall(
            takeJobsScript, [small, first, updates, unfinished, due, owners, counts, direct],
            [
                consumer, silence, smallWanted, firstWanted, updatesWanted, itemsWanted, now, againAt, schedulesWanted,
                erasuresWanted, prefix,
            ] + full, read: TakeJobsReply.read)
    }
}
