// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    static let concludeTopicScript = ScriptLibrary.embedded["conclude-topic"]
    /// Records that a topic's activity has ended without a write of the topic, or that the present life cannot
    /// have one.
    static func concludeTopic(
        topic: String, driver: some RedisArgumentConvertible, activity: some RedisArgumentConvertible,
        reason: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(concludeTopicScript, [topic], [driver, activity, reason, now], read: ScriptReply.flag)
    }

    static let deleteTopicScript = ScriptLibrary.embedded["delete-topic"]
    /// Deletes a topic without a running activity, with the preferences of its followers.
    static func deleteTopic(
        topic: String, due: String, item: some RedisArgumentConvertible
    ) -> ScriptCall<Bool?> {
        ScriptCall(deleteTopicScript, [topic, due], [item], read: ScriptReply.optional(ScriptReply.flag))
    }

    struct FindCardlessReply {
        let indexes: [Int]
        let silent: [Int]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let indexes = ScriptReply.array(ScriptReply.int)(parts[0]),
                let silent = ScriptReply.array(ScriptReply.int)(parts[1])
            else { return nil }
            return Self(indexes: indexes, silent: silent)
        }
    }

    static let findCardlessScript = ScriptLibrary.embedded["find-cardless"]
    /// Finds the slots of a page whose device lacks its Live Activity, although the follower may want it.
    static func findCardless(
        statusPage: String, updatePage: String, outcomePage: String, latest: some RedisArgumentConvertible,
        startedAt: some RedisArgumentConvertible
    ) -> ScriptCall<FindCardlessReply> {
        ScriptCall(
            findCardlessScript, [statusPage, updatePage, outcomePage], [latest, startedAt], read: FindCardlessReply.read
        )
    }

    static let findWishesScript = ScriptLibrary.embedded["find-wishes"]
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

    static let followTopicScript = ScriptLibrary.embedded["follow-topic"]
    /// Writes a user's preference to follow a topic or not.
    static func followTopic(
        topic: String, due: String, item: some RedisArgumentConvertible, user: some RedisArgumentConvertible,
        wish: some RedisArgumentConvertible, reportedAt: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, life: some RedisArgumentConvertible
    ) -> ScriptCall<FollowTopicReply> {
        ScriptCall(
            followTopicScript, [topic, due], [item, user, wish, reportedAt, now, life], read: FollowTopicReply.read)
    }

    static let forgetFollowerScript = ScriptLibrary.embedded["forget-follower"]
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

    static let leaseTopicScript = ScriptLibrary.embedded["lease-topic"]
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

    static let noteCandidateScript = ScriptLibrary.embedded["note-candidate"]
    /// Records the activity that the driver is about to make for a topic.
    static func noteCandidate(
        topic: String, driver: some RedisArgumentConvertible, activity: some RedisArgumentConvertible
    ) -> ScriptCall<NoteCandidateReply> {
        ScriptCall(noteCandidateScript, [topic], [driver, activity], read: NoteCandidateReply.read)
    }

    static let noteDriveScript = ScriptLibrary.embedded["note-drive"]
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

    static let noteFollowScript = ScriptLibrary.embedded["note-follow"]
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

    static let noteStartsScript = ScriptLibrary.embedded["note-starts"]
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

    static let putTopicScript = ScriptLibrary.embedded["put-topic"]
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

    static let queueFollowersScript = ScriptLibrary.embedded["queue-followers"]
    /// Queues users for the driver of a topic, while the topic is live.
    static func queueFollowers(
        topic: String, due: String, item: some RedisArgumentConvertible, at: some RedisArgumentConvertible,
        users: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(queueFollowersScript, [topic, due], [item, at] + users, read: ScriptReply.int)
    }

    static let releaseTopicScript = ScriptLibrary.embedded["release-topic"]
    /// Releases the lease to drive a topic, unless there is work for it now.
    static func releaseTopic(
        topic: String, due: String, driver: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        version: some RedisArgumentConvertible, now: some RedisArgumentConvertible, next: some RedisArgumentConvertible,
        hurry: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(releaseTopicScript, [topic, due], [driver, item, version, now, next, hurry], read: ScriptReply.int)
    }

    static let reserveTopicSlotsScript = ScriptLibrary.embedded["reserve-topic-slots"]
    /// Reserves slots for devices that join the running activity of a topic.
    static func reserveTopicSlots(
        activity: String, topic: String, driver: some RedisArgumentConvertible, most: some RedisArgumentConvertible,
        leaving: some RedisArgumentConvertible, bands: [any RedisArgumentConvertible]
    ) -> ScriptCall<[Int]?> {
        ScriptCall(
            reserveTopicSlotsScript, [activity, topic], [driver, most, leaving] + bands,
            read: ScriptReply.optional(ScriptReply.array(ScriptReply.int)))
    }

    static let settleFollowersScript = ScriptLibrary.embedded["settle-followers"]
    /// Removes processed followers from the queue, unless they were queued again in the meantime.
    static func settleFollowers(
        topic: String, entries: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(settleFollowersScript, [topic], entries, read: ScriptReply.int)
    }
}
