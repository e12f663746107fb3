// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let concludeTopicScript = RedisScript(
        name: "conclude-topic", source: String(cString: store_script_conclude_topic()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Records that a topic's activity has ended without a write of the topic, or that the present life cannot
    /// have one.
    static func concludeTopic(
        topic: String, driver: some RedisArgumentConvertible, activity: some RedisArgumentConvertible,
        reason: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(concludeTopicScript, [topic], [driver, activity, reason, now], read: ScriptReply.flag)
    }

    static let deleteTopicScript = RedisScript(
        name: "delete-topic", source: String(cString: store_script_delete_topic()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 1)))

    /// Deletes a topic without a running activity, with the preferences of its followers.
    static func deleteTopic(
        topic: String, due: String, item: some RedisArgumentConvertible
    ) -> ScriptCall<Bool?> {
        ScriptCall(deleteTopicScript, [topic, due], [item], read: ScriptReply.optional(ScriptReply.flag))
    }

    static let findWishesScript = RedisScript(
        name: "find-wishes", source: String(cString: store_script_find_wishes()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 0, group: 1)))

    /// Reads the preferences of users for a topic.
    static func findWishes(
        topic: String, users: [any RedisArgumentConvertible]
    ) -> ScriptCall<[UInt8]> {
        ScriptCall(findWishesScript, [topic], users, read: ScriptReply.bytes)
    }

    enum FollowTopicReply {
        case noTopic
        case tooOld
        case noted(state: String, changed: Bool)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .noTopic
            case -1: return .tooOld
            case 1:
                guard parts.count >= 3,
                    let state = ScriptReply.text(parts[1]),
                    let changed = ScriptReply.flag(parts[2])
                else { return nil }
                return .noted(state: state, changed: changed)
            default: return nil
            }
        }
    }

    static let followTopicScript = RedisScript(
        name: "follow-topic", source: String(cString: store_script_follow_topic()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 6)))

    /// Writes a user's preference to follow a topic or not.
    static func followTopic(
        topic: String, due: String, item: some RedisArgumentConvertible, user: some RedisArgumentConvertible,
        wish: some RedisArgumentConvertible, reportedAt: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, life: some RedisArgumentConvertible
    ) -> ScriptCall<FollowTopicReply> {
        ScriptCall(
            followTopicScript, [topic, due], [item, user, wish, reportedAt, now, life], read: FollowTopicReply.read)
    }

    static let forgetFollowerScript = RedisScript(
        name: "forget-follower", source: String(cString: store_script_forget_follower()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Deletes a user's preference for a topic and the user's entry in its queue, unless the preference is
    /// newer.
    static func forgetFollower(
        topic: String, user: some RedisArgumentConvertible, latest: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(forgetFollowerScript, [topic], [user, latest], read: ScriptReply.flag)
    }

    enum LeaseTopicReply {
        case noTopic
        case taken(due: Int)
        case leased(topic: [RedisField])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .noTopic
            case 2:
                guard parts.count >= 2,
                    let due = ScriptReply.int(parts[1])
                else { return nil }
                return .taken(due: due)
            case 1:
                guard parts.count >= 2,
                    let topic = ScriptReply.fields(parts[1])
                else { return nil }
                return .leased(topic: topic)
            default: return nil
            }
        }
    }

    static let leaseTopicScript = RedisScript(
        name: "lease-topic", source: String(cString: store_script_lease_topic()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 4)))

    /// Takes or renews the lease to drive a topic, and reads the topic.
    static func leaseTopic(
        topic: String, due: String, driver: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, untilThen: some RedisArgumentConvertible
    ) -> ScriptCall<LeaseTopicReply> {
        ScriptCall(leaseTopicScript, [topic, due], [driver, item, now, untilThen], read: LeaseTopicReply.read)
    }

    enum NoteCandidateReply {
        case lost
        case noted(former: String)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .lost
            case 1:
                guard parts.count >= 2,
                    let former = ScriptReply.text(parts[1])
                else { return nil }
                return .noted(former: former)
            default: return nil
            }
        }
    }

    static let noteCandidateScript = RedisScript(
        name: "note-candidate", source: String(cString: store_script_note_candidate()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Records the activity that the driver is about to make for a topic.
    static func noteCandidate(
        topic: String, driver: some RedisArgumentConvertible, activity: some RedisArgumentConvertible
    ) -> ScriptCall<NoteCandidateReply> {
        ScriptCall(noteCandidateScript, [topic], [driver, activity], read: NoteCandidateReply.read)
    }

    static let noteDriveScript = RedisScript(
        name: "note-drive", source: String(cString: store_script_note_drive()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Writes a field of the driver's progress.
    static func noteDrive(
        topic: String, driver: some RedisArgumentConvertible, field: some RedisArgumentConvertible,
        value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(noteDriveScript, [topic], [driver, field, value], read: ScriptReply.flag)
    }

    enum NoteFollowReply {
        case noted
        case madeUser
        case tooMany
        case erased
        case unknown
        case tooOld

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .noted
            case 2: return .madeUser
            case 0: return .tooMany
            case -1: return .erased
            case -2: return .unknown
            case -3: return .tooOld
            default: return nil
            }
        }
    }

    static let noteFollowScript = RedisScript(
        name: "note-follow", source: String(cString: store_script_note_follow()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 6)))

    /// Writes a user's preference for a topic beside the user, whom it creates if necessary.
    static func noteFollow(
        follows: String, erased: String, user: String, topic: some RedisArgumentConvertible,
        wish: some RedisArgumentConvertible, most: some RedisArgumentConvertible,
        reported: some RedisArgumentConvertible, may: some RedisArgumentConvertible, life: some RedisArgumentConvertible
    ) -> ScriptCall<NoteFollowReply> {
        ScriptCall(
            noteFollowScript, [follows, erased, user], [topic, wish, most, reported, may, life],
            read: NoteFollowReply.read)
    }

    static let noteStartsScript = RedisScript(
        name: "note-starts", source: String(cString: store_script_note_starts()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2, group: 1)))

    /// Counts restarts of followers who have lost their Live Activity, up to a limit in an hour.
    static func noteStarts(
        topic: String, now: some RedisArgumentConvertible, most: some RedisArgumentConvertible,
        users: [any RedisArgumentConvertible]
    ) -> ScriptCall<[Int]> {
        ScriptCall(noteStartsScript, [topic], [now, most] + users, read: ScriptReply.array(ScriptReply.int))
    }

    enum PutTopicReply {
        case changed(version: Int)
        case unchanged(version: Int)
        case stale(sequence: Int)
        case anotherType(type: String)
        case live
        case needsStart
        case raced

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1:
                guard parts.count >= 2,
                    let version = ScriptReply.int(parts[1])
                else { return nil }
                return .changed(version: version)
            case 2:
                guard parts.count >= 2,
                    let version = ScriptReply.int(parts[1])
                else { return nil }
                return .unchanged(version: version)
            case 3:
                guard parts.count >= 2,
                    let sequence = ScriptReply.int(parts[1])
                else { return nil }
                return .stale(sequence: sequence)
            case 4:
                guard parts.count >= 2,
                    let type = ScriptReply.text(parts[1])
                else { return nil }
                return .anotherType(type: type)
            case 5: return .live
            case 6: return .needsStart
            case 7: return .raced
            default: return nil
            }
        }
    }

    static let putTopicScript = RedisScript(
        name: "put-topic", source: String(cString: store_script_put_topic()),
        arity: RedisScriptArity(keys: .init(required: 2, optional: 1), arguments: .init(required: 18)))

    /// Writes the owner's content of a topic, unless the topic has newer or the same content.
    static func putTopic(
        topic: String, due: String, running: String? = nil, item: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, tenant: some RedisArgumentConvertible, name: some RedisArgumentConvertible,
        type: some RedisArgumentConvertible, state: some RedisArgumentConvertible,
        digest: some RedisArgumentConvertible, sequence: some RedisArgumentConvertible,
        start: some RedisArgumentConvertible, update: some RedisArgumentConvertible,
        ending: some RedisArgumentConvertible, priority: some RedisArgumentConvertible,
        endsAt: some RedisArgumentConvertible, channel: some RedisArgumentConvertible,
        idAttribute: some RedisArgumentConvertible, label: some RedisArgumentConvertible,
        attributes: some RedisArgumentConvertible, seen: some RedisArgumentConvertible
    ) -> ScriptCall<PutTopicReply> {
        ScriptCall(
            putTopicScript, [topic, due] + [running].compactMap(\.self),
            [
                item, now, tenant, name, type, state, digest, sequence, start, update, ending, priority, endsAt,
                channel, idAttribute, label, attributes, seen,
            ], read: PutTopicReply.read)
    }

    static let queueFollowersScript = RedisScript(
        name: "queue-followers", source: String(cString: store_script_queue_followers()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 2, group: 1)))

    /// Queues users for the driver of a topic, while the topic is live.
    static func queueFollowers(
        topic: String, due: String, item: some RedisArgumentConvertible, at: some RedisArgumentConvertible,
        users: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(queueFollowersScript, [topic, due], [item, at] + users, read: ScriptReply.int)
    }

    static let releaseTopicScript = RedisScript(
        name: "release-topic", source: String(cString: store_script_release_topic()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 6)))

    /// Releases the lease to drive a topic, unless there is work for it now.
    static func releaseTopic(
        topic: String, due: String, driver: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        version: some RedisArgumentConvertible, now: some RedisArgumentConvertible, next: some RedisArgumentConvertible,
        hurry: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(releaseTopicScript, [topic, due], [driver, item, version, now, next, hurry], read: ScriptReply.int)
    }

    static let reserveTopicSlotsScript = RedisScript(
        name: "reserve-topic-slots", source: String(cString: store_script_reserve_topic_slots()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 3, group: 3)))

    /// Reserves slots for devices that join the running activity of a topic.
    static func reserveTopicSlots(
        activity: String, topic: String, driver: some RedisArgumentConvertible, most: some RedisArgumentConvertible,
        leaving: some RedisArgumentConvertible, bands: [any RedisArgumentConvertible]
    ) -> ScriptCall<[Int]?> {
        ScriptCall(
            reserveTopicSlotsScript, [activity, topic], [driver, most, leaving] + bands,
            read: ScriptReply.optional(ScriptReply.array(ScriptReply.int)))
    }

    static let settleFollowersScript = RedisScript(
        name: "settle-followers", source: String(cString: store_script_settle_followers()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 0, group: 2)))

    /// Removes processed followers from the queue, unless they were queued again in the meantime.
    static func settleFollowers(
        topic: String, entries: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(settleFollowersScript, [topic], entries, read: ScriptReply.int)
    }
}
