// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    static let concludeTopicScript = ScriptLibrary.embedded["conclude-topic"]
    /// See `Lua/conclude-topic.lua`.
    static func concludeTopic(
        topic: String, driver: some RedisArgumentConvertible, activity: some RedisArgumentConvertible,
        reason: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(concludeTopicScript, [topic], [driver, activity, reason, now], read: ScriptReply.flag)
    }

    static let deleteTopicScript = ScriptLibrary.embedded["delete-topic"]
    /// See `Lua/delete-topic.lua`.
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
    /// See `Lua/find-cardless.lua`.
    static func findCardless(
        statusPage: String, updatePage: String, outcomePage: String, latest: some RedisArgumentConvertible,
        startedAt: some RedisArgumentConvertible
    ) -> ScriptCall<FindCardlessReply> {
        ScriptCall(
            findCardlessScript, [statusPage, updatePage, outcomePage], [latest, startedAt], read: FindCardlessReply.read
        )
    }

    static let findWishesScript = ScriptLibrary.embedded["find-wishes"]
    /// See `Lua/find-wishes.lua`.
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
    /// See `Lua/follow-topic.lua`.
    static func followTopic(
        topic: String, due: String, item: some RedisArgumentConvertible, user: some RedisArgumentConvertible,
        wish: some RedisArgumentConvertible, reportedAt: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, life: some RedisArgumentConvertible
    ) -> ScriptCall<FollowTopicReply> {
        ScriptCall(
            followTopicScript, [topic, due], [item, user, wish, reportedAt, now, life], read: FollowTopicReply.read)
    }

    static let forgetFollowerScript = ScriptLibrary.embedded["forget-follower"]
    /// See `Lua/forget-follower.lua`.
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
    /// See `Lua/lease-topic.lua`.
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
    /// See `Lua/note-candidate.lua`.
    static func noteCandidate(
        topic: String, driver: some RedisArgumentConvertible, activity: some RedisArgumentConvertible
    ) -> ScriptCall<NoteCandidateReply> {
        ScriptCall(noteCandidateScript, [topic], [driver, activity], read: NoteCandidateReply.read)
    }

    static let noteDriveScript = ScriptLibrary.embedded["note-drive"]
    /// See `Lua/note-drive.lua`.
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
    /// See `Lua/note-follow.lua`.
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
    /// See `Lua/note-starts.lua`.
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
    /// See `Lua/put-topic.lua`.
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
    /// See `Lua/queue-followers.lua`.
    static func queueFollowers(
        topic: String, due: String, item: some RedisArgumentConvertible, at: some RedisArgumentConvertible,
        users: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(queueFollowersScript, [topic, due], [item, at] + users, read: ScriptReply.int)
    }

    static let releaseTopicScript = ScriptLibrary.embedded["release-topic"]
    /// See `Lua/release-topic.lua`.
    static func releaseTopic(
        topic: String, due: String, driver: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        version: some RedisArgumentConvertible, now: some RedisArgumentConvertible, next: some RedisArgumentConvertible,
        hurry: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(releaseTopicScript, [topic, due], [driver, item, version, now, next, hurry], read: ScriptReply.int)
    }

    static let reserveTopicSlotsScript = ScriptLibrary.embedded["reserve-topic-slots"]
    /// See `Lua/reserve-topic-slots.lua`.
    static func reserveTopicSlots(
        activity: String, topic: String, driver: some RedisArgumentConvertible, most: some RedisArgumentConvertible,
        leaving: some RedisArgumentConvertible, bands: [any RedisArgumentConvertible]
    ) -> ScriptCall<[Int]?> {
        ScriptCall(
            reserveTopicSlotsScript, [activity, topic], [driver, most, leaving] + bands,
            read: ScriptReply.optional(ScriptReply.array(ScriptReply.int)))
    }

    static let settleFollowersScript = ScriptLibrary.embedded["settle-followers"]
    /// See `Lua/settle-followers.lua`.
    static func settleFollowers(
        topic: String, entries: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(settleFollowersScript, [topic], entries, read: ScriptReply.int)
    }
}
