// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    enum AmendBroadcastReply {
        case amended
        case noBroadcast
        case notEnded

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .amended
            case 0: return .noBroadcast
            case -1: return .notEnded
            default: return nil
            }
        }
    }

    static let amendBroadcastScript = RedisScript(
        name: "amend-broadcast", source: String(cString: store_script_amend_broadcast()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1, group: 2)))

    /// Changes the counts of an ended broadcast, in its record or its short form.
    static func amendBroadcast(
        broadcast: String, cohort: some RedisArgumentConvertible, growth: [any RedisArgumentConvertible]
    ) -> ScriptCall<AmendBroadcastReply> {
        ScriptCall(amendBroadcastScript, [broadcast], [cohort] + growth, read: AmendBroadcastReply.read)
    }

    enum BeginEndReply {
        case recorded(timestamp: Int, order: Int, slots: [UInt8], superseded: String, lists: String, channels: String)
        case doneBefore
        case notDue
        case crowded
        case refused(reason: String)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1:
                guard parts.count >= 7,
                    let timestamp = ScriptReply.int(parts[1]),
                    let order = ScriptReply.int(parts[2]),
                    let slots = ScriptReply.bytes(parts[3]),
                    let superseded = ScriptReply.text(parts[4]),
                    let lists = ScriptReply.text(parts[5]),
                    let channels = ScriptReply.text(parts[6])
                else { return nil }
                return .recorded(
                    timestamp: timestamp, order: order, slots: slots, superseded: superseded, lists: lists,
                    channels: channels)
            case 2: return .doneBefore
            case 3: return .notDue
            case 5: return .crowded
            case 0:
                guard parts.count >= 2,
                    let reason = ScriptReply.text(parts[1])
                else { return nil }
                return .refused(reason: reason)
            default: return nil
            }
        }
    }

    static let beginEndScript = RedisScript(
        name: "begin-end", source: String(cString: store_script_begin_end()),
        arity: RedisScriptArity(keys: .init(required: 9, optional: 1), arguments: .init(required: 16, group: 2)))

    /// Begins an end: see `beginning`.
    static func beginEnd(
        activity: String, broadcast: String, openBroadcasts: String, unfinished: String, owners: String, counts: String,
        smallJobs: String, firstJobs: String, due: String, topic: String? = nil, id: some RedisArgumentConvertible,
        packedID: some RedisArgumentConvertible, activityID: some RedisArgumentConvertible,
        expectedState: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        keptUntil: some RedisArgumentConvertible, payloadBefore: some RedisArgumentConvertible,
        payloadAfter: some RedisArgumentConvertible, addressed: some RedisArgumentConvertible,
        scope: some RedisArgumentConvertible, listParts: some RedisArgumentConvertible,
        mostOpen: some RedisArgumentConvertible, schedule: some RedisArgumentConvertible,
        interval: some RedisArgumentConvertible, topicPart: some RedisArgumentConvertible,
        reason: some RedisArgumentConvertible, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<BeginEndReply> {
        ScriptCall(
            beginEndScript,
            [activity, broadcast, openBroadcasts, unfinished, owners, counts, smallJobs, firstJobs, due]
                + [topic].compactMap(\.self),
            [
                id, packedID, activityID, expectedState, now, keptUntil, payloadBefore, payloadAfter, addressed, scope,
                listParts, mostOpen, schedule, interval, topicPart, reason,
            ] + fields, read: BeginEndReply.read)
    }

    enum BeginStartReply {
        case recorded(timestamp: Int, order: Int, slots: [UInt8], follows: String)
        case doneBefore
        case notDue
        case refused(reason: String)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1:
                guard parts.count >= 5,
                    let timestamp = ScriptReply.int(parts[1]),
                    let order = ScriptReply.int(parts[2]),
                    let slots = ScriptReply.bytes(parts[3]),
                    let follows = ScriptReply.text(parts[4])
                else { return nil }
                return .recorded(timestamp: timestamp, order: order, slots: slots, follows: follows)
            case 2: return .doneBefore
            case 3: return .notDue
            case 0:
                guard parts.count >= 2,
                    let reason = ScriptReply.text(parts[1])
                else { return nil }
                return .refused(reason: reason)
            default: return nil
            }
        }
    }

    static let beginStartScript = RedisScript(
        name: "begin-start", source: String(cString: store_script_begin_start()),
        arity: RedisScriptArity(keys: .init(required: 10, optional: 1), arguments: .init(required: 19, group: 2)))

    /// Begins a start: see `beginning`.
    static func beginStart(
        activity: String, broadcast: String, lock: String, openBroadcasts: String, unfinished: String, owners: String,
        counts: String, smallJobs: String, firstJobs: String, due: String, topic: String? = nil,
        id: some RedisArgumentConvertible, packedID: some RedisArgumentConvertible,
        activityID: some RedisArgumentConvertible, expectedState: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, keptUntil: some RedisArgumentConvertible,
        payloadBefore: some RedisArgumentConvertible, payloadAfter: some RedisArgumentConvertible,
        addressed: some RedisArgumentConvertible, scope: some RedisArgumentConvertible,
        listParts: some RedisArgumentConvertible, schedule: some RedisArgumentConvertible,
        nextDue: some RedisArgumentConvertible, restart: some RedisArgumentConvertible,
        interval: some RedisArgumentConvertible, channels: some RedisArgumentConvertible,
        topicPart: some RedisArgumentConvertible, digest: some RedisArgumentConvertible,
        notedAs: some RedisArgumentConvertible, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<BeginStartReply> {
        ScriptCall(
            beginStartScript,
            [activity, broadcast, lock, openBroadcasts, unfinished, owners, counts, smallJobs, firstJobs, due]
                + [topic].compactMap(\.self),
            [
                id, packedID, activityID, expectedState, now, keptUntil, payloadBefore, payloadAfter, addressed, scope,
                listParts, schedule, nextDue, restart, interval, channels, topicPart, digest, notedAs,
            ] + fields, read: BeginStartReply.read)
    }

    enum BeginUpdateReply {
        case recorded(
            timestamp: Int, order: Int, slots: [UInt8], updates: Int, superseded: String, lists: String, leave: Int,
            channels: String, afterStart: Bool, priority: Int, isHeld: Bool)
        case doneBefore
        case notDue
        case unchanged(updates: Int)
        case crowded
        case late(slots: [UInt8], others: Int)
        case refused(reason: String)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1:
                guard parts.count >= 12,
                    let timestamp = ScriptReply.int(parts[1]),
                    let order = ScriptReply.int(parts[2]),
                    let slots = ScriptReply.bytes(parts[3]),
                    let updates = ScriptReply.int(parts[4]),
                    let superseded = ScriptReply.text(parts[5]),
                    let lists = ScriptReply.text(parts[6]),
                    let leave = ScriptReply.int(parts[7]),
                    let channels = ScriptReply.text(parts[8]),
                    let afterStart = ScriptReply.flag(parts[9]),
                    let priority = ScriptReply.int(parts[10]),
                    let isHeld = ScriptReply.flag(parts[11])
                else { return nil }
                return .recorded(
                    timestamp: timestamp, order: order, slots: slots, updates: updates, superseded: superseded,
                    lists: lists, leave: leave, channels: channels, afterStart: afterStart, priority: priority,
                    isHeld: isHeld)
            case 2: return .doneBefore
            case 3: return .notDue
            case 4:
                guard parts.count >= 2,
                    let updates = ScriptReply.int(parts[1])
                else { return nil }
                return .unchanged(updates: updates)
            case 5: return .crowded
            case 6:
                guard parts.count >= 3,
                    let slots = ScriptReply.bytes(parts[1]),
                    let others = ScriptReply.int(parts[2])
                else { return nil }
                return .late(slots: slots, others: others)
            case 0:
                guard parts.count >= 2,
                    let reason = ScriptReply.text(parts[1])
                else { return nil }
                return .refused(reason: reason)
            default: return nil
            }
        }
    }

    static let beginUpdateScript = RedisScript(
        name: "begin-update", source: String(cString: store_script_begin_update()),
        arity: RedisScriptArity(keys: .init(required: 10, optional: 1), arguments: .init(required: 19, group: 2)))

    /// Begins an update: see `beginning`.
    static func beginUpdate(
        activity: String, broadcast: String, openBroadcasts: String, unfinished: String, owners: String, counts: String,
        smallJobs: String, updateJobs: String, due: String, held: String, topic: String? = nil,
        id: some RedisArgumentConvertible, hold: some RedisArgumentConvertible,
        activityID: some RedisArgumentConvertible, expectedState: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, keptUntil: some RedisArgumentConvertible,
        payloadBefore: some RedisArgumentConvertible, payloadAfter: some RedisArgumentConvertible,
        addressed: some RedisArgumentConvertible, scope: some RedisArgumentConvertible,
        listParts: some RedisArgumentConvertible, mostOpen: some RedisArgumentConvertible,
        schedule: some RedisArgumentConvertible, interval: some RedisArgumentConvertible,
        topicPart: some RedisArgumentConvertible, digest: some RedisArgumentConvertible,
        skipsUnchanged: some RedisArgumentConvertible, arrival: some RedisArgumentConvertible,
        urgency: some RedisArgumentConvertible, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<BeginUpdateReply> {
        ScriptCall(
            beginUpdateScript,
            [activity, broadcast, openBroadcasts, unfinished, owners, counts, smallJobs, updateJobs, due, held]
                + [topic].compactMap(\.self),
            [
                id, hold, activityID, expectedState, now, keptUntil, payloadBefore, payloadAfter, addressed, scope,
                listParts, mostOpen, schedule, interval, topicPart, digest, skipsUnchanged, arrival, urgency,
            ] + fields, read: BeginUpdateReply.read)
    }

    enum CancelReply {
        case cancelled
        case notRegistered
        case notDue

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .cancelled
            case 0: return .notRegistered
            case 3: return .notDue
            default: return nil
            }
        }
    }

    static let cancelScript = RedisScript(
        name: "cancel", source: String(cString: store_script_cancel()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 6)))

    /// Ends an activity that was never started.
    static func cancel(
        activity: String, due: String, now: some RedisArgumentConvertible, activityID: some RedisArgumentConvertible,
        item: some RedisArgumentConvertible, reason: some RedisArgumentConvertible,
        schedule: some RedisArgumentConvertible, version: some RedisArgumentConvertible
    ) -> ScriptCall<CancelReply> {
        ScriptCall(
            cancelScript, [activity, due], [now, activityID, item, reason, schedule, version], read: CancelReply.read)
    }

    static let closeStartScript = RedisScript(
        name: "close-start", source: String(cString: store_script_close_start()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Closes a partition of a start whose pages are all done.
    static func closeStart(
        progress: String, owner: some RedisArgumentConvertible, places: some RedisArgumentConvertible,
        statusPrefix: some RedisArgumentConvertible, firstPage: some RedisArgumentConvertible
    ) -> ScriptCall<[UInt8]> {
        ScriptCall(closeStartScript, [progress], [owner, places, statusPrefix, firstPage], read: ScriptReply.bytes)
    }

    enum FinishPageReply {
        case finished(slots: [Int])
        case finishedBefore(slots: [Int])
        case lost

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1:
                guard parts.count >= 1,
                    let slots = ScriptReply.array(ScriptReply.int)(.array(Array(parts[1...])))
                else { return nil }
                return .finished(slots: slots)
            case 0:
                guard parts.count >= 1,
                    let slots = ScriptReply.array(ScriptReply.int)(.array(Array(parts[1...])))
                else { return nil }
                return .finishedBefore(slots: slots)
            case -1: return .lost
            default: return nil
            }
        }
    }

    static let finishPageScript = RedisScript(
        name: "finish-page", source: String(cString: store_script_finish_page()),
        arity: RedisScriptArity(keys: .init(required: 7, optional: 1), arguments: .init(required: 15, group: 1)))

    /// Writes the outcomes of a page of an update or end: delivery statuses, counts and checkpoint.
    static func finishPage(
        progress: String, statusPage: String, updatePage: String, counters: String, pendingEnds: String,
        outcomePage: String, startCounts: String, untold: String? = nil, owner: some RedisArgumentConvertible,
        page: some RedisArgumentConvertible, first: some RedisArgumentConvertible,
        statuses: some RedisArgumentConvertible, endedCell: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, firstSlot: some RedisArgumentConvertible,
        ended: some RedisArgumentConvertible, firstOutcome: some RedisArgumentConvertible,
        codes: some RedisArgumentConvertible, kinds: some RedisArgumentConvertible,
        order: some RedisArgumentConvertible, endedBy: some RedisArgumentConvertible,
        reportTimes: some RedisArgumentConvertible, forgetsAt: some RedisArgumentConvertible,
        rest: [any RedisArgumentConvertible]
    ) -> ScriptCall<FinishPageReply> {
        ScriptCall(
            finishPageScript,
            [progress, statusPage, updatePage, counters, pendingEnds, outcomePage, startCounts]
                + [untold].compactMap(\.self),
            [
                owner, page, first, statuses, endedCell, expiresAt, firstSlot, ended, firstOutcome, codes, kinds, order,
                endedBy, reportTimes, forgetsAt,
            ] + rest, read: FinishPageReply.read)
    }

    static let noteBroadcastScript = RedisScript(
        name: "note-broadcast", source: String(cString: store_script_note_broadcast()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 0, group: 2)))

    /// Adds fields to the record of an unfinished broadcast.
    static func noteBroadcast(
        broadcast: String, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(noteBroadcastScript, [broadcast], fields, read: ScriptReply.flag)
    }

    static let noteOutcomesScript = RedisScript(
        name: "note-outcomes", source: String(cString: store_script_note_outcomes()),
        arity: RedisScriptArity(keys: .init(required: 2, optional: 1), arguments: .init(required: 6)))

    /// Records the outcomes of pushes that belong to no page of a broadcast.
    static func noteOutcomes(
        outcomePage: String, statusPage: String, startCounts: String? = nil, first: some RedisArgumentConvertible,
        codes: some RedisArgumentConvertible, kinds: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, firstSlot: some RedisArgumentConvertible,
        order: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            noteOutcomesScript, [outcomePage, statusPage] + [startCounts].compactMap(\.self),
            [first, codes, kinds, expiresAt, firstSlot, order], read: ScriptReply.flag)
    }

    struct NoteReadingReply {
        let updatePage: [UInt8]
        let statusPage: [UInt8]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let updatePage = ScriptReply.bytes(parts[0]),
                let statusPage = ScriptReply.bytes(parts[1])
            else { return nil }
            return Self(updatePage: updatePage, statusPage: statusPage)
        }
    }

    static let noteReadingScript = RedisScript(
        name: "note-reading", source: String(cString: store_script_note_reading()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 2)))

    /// Reads a page for an update, and records the slots with a token.
    static func noteReading(
        updatePage: String, statusPage: String, reading: String, order: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<NoteReadingReply> {
        ScriptCall(
            noteReadingScript, [updatePage, statusPage, reading], [order, expiresAt], read: NoteReadingReply.read)
    }

    struct OpenPartitionReply {
        let pages: [UInt8]
        let wasOpen: Bool
        let turns: [UInt8]
        let doubt: String

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 4,
                let pages = ScriptReply.bytes(parts[0]),
                let wasOpen = ScriptReply.flag(parts[1]),
                let turns = ScriptReply.bytes(parts[2]),
                let doubt = ScriptReply.text(parts[3])
            else { return nil }
            return Self(pages: pages, wasOpen: wasOpen, turns: turns, doubt: doubt)
        }
    }

    static let openPartitionScript = RedisScript(
        name: "open-partition", source: String(cString: store_script_open_partition()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 2)))

    /// Makes a hold the one who works on an update or end in a partition.
    static func openPartition(
        progress: String, counters: String, owner: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<OpenPartitionReply> {
        ScriptCall(openPartitionScript, [progress, counters], [owner, expiresAt], read: OpenPartitionReply.read)
    }

    struct OpenStartReply {
        let pages: [UInt8]
        let wasOpen: Bool

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let pages = ScriptReply.bytes(parts[0]),
                let wasOpen = ScriptReply.flag(parts[1])
            else { return nil }
            return Self(pages: pages, wasOpen: wasOpen)
        }
    }

    static let openStartScript = RedisScript(
        name: "open-start", source: String(cString: store_script_open_start()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 8)))

    /// Makes a hold the owner of a start in a partition.
    static func openStart(
        progress: String, noted: String, doubts: String, owner: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, listPrefix: some RedisArgumentConvertible,
        statusPrefix: some RedisArgumentConvertible, outcomePrefix: some RedisArgumentConvertible,
        updatePrefix: some RedisArgumentConvertible, kind: some RedisArgumentConvertible,
        broadcast: some RedisArgumentConvertible
    ) -> ScriptCall<OpenStartReply> {
        ScriptCall(
            openStartScript, [progress, noted, doubts],
            [owner, expiresAt, listPrefix, statusPrefix, outcomePrefix, updatePrefix, kind, broadcast],
            read: OpenStartReply.read)
    }

    enum RecordOutcomesReply {
        case recorded
        case lost
        case closed(growth: [String])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .recorded
            case -1: return .lost
            case -2:
                guard parts.count >= 1,
                    let growth = ScriptReply.array(ScriptReply.text)(.array(Array(parts[1...])))
                else { return nil }
                return .closed(growth: growth)
            default: return nil
            }
        }
    }

    static let recordOutcomesScript = RedisScript(
        name: "record-outcomes", source: String(cString: store_script_record_outcomes()),
        arity: RedisScriptArity(keys: .init(required: 5, optional: 1), arguments: .init(required: 11, group: 1)))

    /// Writes the outcomes of devices of a start's page.
    static func recordOutcomes(
        progress: String, statusPage: String, outcomePage: String, doubts: String, counters: String,
        untold: String? = nil, owner: some RedisArgumentConvertible, page: some RedisArgumentConvertible,
        state: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible,
        first: some RedisArgumentConvertible, statuses: some RedisArgumentConvertible,
        codes: some RedisArgumentConvertible, kinds: some RedisArgumentConvertible,
        broadcast: some RedisArgumentConvertible, kindCount: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, rest: [any RedisArgumentConvertible]
    ) -> ScriptCall<RecordOutcomesReply> {
        ScriptCall(
            recordOutcomesScript, [progress, statusPage, outcomePage, doubts, counters] + [untold].compactMap(\.self),
            [owner, page, state, expiresAt, first, statuses, codes, kinds, broadcast, kindCount, now] + rest,
            read: RecordOutcomesReply.read)
    }

    enum ReleaseDoubtedReply {
        case released
        case closed(growth: [String])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case -1: return .released
            case -2:
                guard parts.count >= 1,
                    let growth = ScriptReply.array(ScriptReply.text)(.array(Array(parts[1...])))
                else { return nil }
                return .closed(growth: growth)
            default: return nil
            }
        }
    }

    static let releaseDoubtedScript = RedisScript(
        name: "release-doubted", source: String(cString: store_script_release_doubted()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 4)))

    /// Releases devices that a hold recorded but never sent anything to, and that the next owner has put in
    /// doubt.
    static func releaseDoubted(
        progress: String, statusPage: String, doubts: String, owner: some RedisArgumentConvertible,
        page: some RedisArgumentConvertible, slots: some RedisArgumentConvertible,
        broadcast: some RedisArgumentConvertible
    ) -> ScriptCall<ReleaseDoubtedReply> {
        ScriptCall(
            releaseDoubtedScript, [progress, statusPage, doubts], [owner, page, slots, broadcast],
            read: ReleaseDoubtedReply.read)
    }

    static let supersedeListScript = RedisScript(
        name: "supersede-list", source: String(cString: store_script_supersede_list()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1)))

    /// Marks an update to a target list as superseded.
    static func supersedeList(
        broadcast: String, time: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(supersedeListScript, [broadcast], [time], read: ScriptReply.flag)
    }

    static let takeLastTimestampScript = RedisScript(
        name: "take-last-timestamp", source: String(cString: store_script_take_last_timestamp()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Returns the timestamp of the last push to a Live Activity: now, or just after the activity's newest.
    static func takeLastTimestamp(
        activity: String, now: some RedisArgumentConvertible, slot: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(takeLastTimestampScript, [activity], [now, slot], read: ScriptReply.int)
    }
}
