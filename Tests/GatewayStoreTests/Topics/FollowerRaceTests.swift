import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

/// Changes between two steps of a topic's driver. The stage's clock does not advance, so they share a millisecond.
@Suite("Followers who change while a topic goes live")
struct FollowerRaceTests {
    private static let name = "derby"

    /// Creates a live topic that the caller drives, with these users on the owner's list.
    private func live(_ stage: StoreStage, listed: Range<Int>) async throws -> (TopicLease, TopicRecord) {
        let id = TopicID(tenantID: stage.tenant, name: Self.name)
        var write = TopicWrite(type: StoreStage.type, state: .live, digest: [1])
        write.start = .update(content: Content(), options: PresentationOptions())
        #expect(try await stage.store.topics.put(write, to: id) == .changed(version: 1))
        let upload = try await stage.upload(StoreStage.ids(listed))
        _ = try await stage.store.segments.replaceSegment(
            Self.name, tenantID: StoredTopics.listOwner(stage.tenant), with: upload)
        await stage.store.segments.discard(upload)
        let lease = TopicLease(id)
        return (lease, try await take(stage, lease))
    }

    private func take(_ stage: StoreStage, _ lease: TopicLease) async throws -> TopicRecord {
        guard case .mine(let topic) = try await stage.store.topics.take(lease) else {
            throw StoreError.damaged("the topic is somebody else's")
        }
        return topic
    }

    private func follow(_ user: Int, _ stage: StoreStage, _ follows: Bool = true) async throws {
        let id = TopicID(tenantID: stage.tenant, name: Self.name)
        guard
            case .noted = try await stage.store.followers.setWish(
                follows, of: StoreStage.key(user).insiderID, id, reportedAt: stage.now)
        else { throw StoreError.damaged("the wish is not noted") }
    }

    private func makeActivity(
        _ topic: TopicRecord, _ stage: StoreStage, before: () async throws -> Void = {}
    ) async throws -> ActivityRecord? {
        try await stage.store.topicActivities.makeActivity(
            topic.id.newActivityID(), of: topic, followers: nil, endsAt: stage.now + .seconds(3600), served: nil,
            checkpoint: before)
    }

    private func queued(_ stage: StoreStage) async throws -> [String] {
        try await stage.store.topicActivities.queued(TopicID(tenantID: stage.tenant, name: Self.name)).map(\.insiderID)
            .sorted()
    }

    @Test("Whoever is on the list and follows by an app meanwhile gets one place", arguments: [false, true])
    func onePlace(hasWishes: Bool) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let (lease, _) = try await live(stage, listed: 0..<3)
            if hasWishes { try await follow(3, stage) }
            let topic = try await take(stage, lease)
            var isFirst = true
            let record = try #require(
                try await makeActivity(topic, stage) {
                    guard isFirst else { return }
                    isFirst = false
                    for user in 0..<3 { try await follow(user, stage) }
                })
            let user = try #require(try await stage.store.devices.user("user-0", tenantID: stage.tenant))
            // A user without a slot is queued, so no user is left out.
            let expected = user.membership(in: record.activity.id) == nil ? 1 : hasWishes ? 4 : 3
            #expect(record.devices == expected)
            #expect(try await queued(stage).filter { $0 != "user-3" } == StoreStage.ids(0..<3))
        }
    }

    @Test("Whose phone reports between the reading and the note that there is none is queued")
    func reportsMeanwhile() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let (lease, topic) = try await live(stage, listed: 0..<2)
            #expect(try await makeActivity(topic, stage) != nil)
            #expect(try await queued(stage).isEmpty)
            // The report arrives after the driver found no device, and before `noteWaiting` marks the user.
            try await stage.addDevices(1..<2)
            let reported = try await stage.store.topicActivities.queued(lease.topic)
            try await stage.store.topicActivities.settle(reported, later: [], lease.topic)
            try await stage.store.topicActivities.noteWaiting(
                ["user-1"], lease.topic, type: StoreStage.type, nil)
            #expect(try await queued(stage) == ["user-1"])
        }
    }

    @Test("Another phone of a user that is getting a place has the user queued")
    func anotherDevice() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let (_, topic) = try await live(stage, listed: 0..<1)
            let id = topic.id.newActivityID()
            var registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(3600))
            registration.topic = topic.id
            _ = try await stage.store.activities.register(registration, as: id, tenantID: stage.tenant) { add in
                // The phone arrives after the user is read, and before the user joins with the last page.
                _ = try await add(["user-0"])
                try await stage.store.devices.importDevices(
                    [(StoreStage.key(0, 1), StoreStage.device(), StoreStage.token(7))], tenantID: stage.tenant)
            }
            #expect(try await stage.read(id).devices == 1)
            #expect(try await queued(stage) == ["user-0"])
        }
    }

    @Test("Who is queued again while being seen to stays in the queue", arguments: [false, true])
    func queuedAgain(byReport: Bool) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let (lease, _) = try await live(stage, listed: 0..<1)
            try await follow(1, stage)
            let topic = lease.topic
            let read = try await stage.store.topicActivities.queued(topic)
            #expect(read.map(\.insiderID) == ["user-1"])
            if byReport {
                _ = try await stage.store.value(
                    stage.store.topicActivities.queues.queue(["user-1"], topic, at: stage.now))
            } else {
                try await follow(1, stage, false)
            }
            stage.advance(.milliseconds(1))
            try await stage.store.topicActivities.settle(read, later: [], topic)
            let again = try await stage.store.topicActivities.queued(topic)
            #expect(again.map(\.insiderID) == ["user-1"])
            try await stage.store.topicActivities.settle(again, later: [], topic)
            #expect(try await queued(stage).isEmpty)
        }
    }

    @Test("Who is to be seen to later is seen to at once when something happens, and not the other way round")
    func earlierTime() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let (lease, _) = try await live(stage, listed: 0..<1)
            let queues = stage.store.topicActivities.queues
            let later = queues.queue(["user-0"], lease.topic, at: stage.now + .seconds(60))
            _ = try await stage.store.value(later)
            #expect(try await queued(stage).isEmpty)
            _ = try await stage.store.value(queues.queue(["user-0"], lease.topic, at: stage.now))
            #expect(try await queued(stage) == ["user-0"])
            _ = try await stage.store.value(later)
            stage.advance(.milliseconds(1))
            #expect(try await queued(stage) == ["user-0"])
        }
    }

    @Test("An activity that was made for a life that is over is not started")
    func otherLife() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let (lease, topic) = try await live(stage, listed: 0..<1)
            let record = try #require(try await makeActivity(topic, stage))
            func begin(_ topic: TopicRecord) async throws -> Bool {
                var draft = BroadcastDraft(
                    kind: .start, scope: .wholeSegment,
                    payload: .update(content: Content(), options: PresentationOptions()), priority: 10,
                    expiration: stage.now.seconds + 60)
                draft.topic = .init(lease, tells: topic.version, life: topic.life)
                if case .success = try await stage.store.broadcasts.begin(draft, for: record) { return true }
                return false
            }
            var write = TopicWrite(type: StoreStage.type, state: .ended, digest: [2])
            _ = try await stage.store.topics.put(write, to: lease.topic)
            #expect(try await !begin(topic))
            write = TopicWrite(type: "Other", state: .live, digest: [3])
            write.start = .update(content: Content(), options: PresentationOptions())
            _ = try await stage.store.topics.put(write, to: lease.topic)
            #expect(try await !begin(topic))
            #expect(try await begin(try await take(stage, lease)))
        }
    }

    /// The evidence about a place that the start of its activity has left out.
    enum Evidence: CaseIterable {
        case none, startUnderWay, restartUnderWay, acceptedBefore, doubtfulBefore, refusedBefore, reported
        case tokenElsewhere
    }

    @Test(
        "A follower whose phone was another login's at kick-off is started once it is back",
        arguments: Evidence.allCases)
    func returns(_ evidence: Evidence) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            func report(_ user: Int) async throws {
                stage.advance(.milliseconds(1))
                try await stage.store.devices.putPushToStartToken(
                    StoreStage.token(1), StoreStage.key(user), tenantID: stage.tenant, type: nil, receivedAt: stage.now)
            }
            try await report(2)
            let (lease, topic) = try await live(stage, listed: 0..<2)
            let made = try #require(try await makeActivity(topic, stage))
            let id = made.activity.id
            #expect(made.devices == 2)
            var draft = BroadcastDraft(
                kind: .start, scope: .wholeSegment,
                payload: .update(content: Content(), options: PresentationOptions()), priority: 10,
                expiration: stage.now.seconds + 60)
            draft.topic = .init(lease, tells: topic.version, life: topic.life)
            let order = try await stage.store.broadcasts.begin(draft, for: made).get()
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0]
            for job in try await stage.jobs(order) {
                _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
                try await stage.finish(outcome, order)
                if evidence != .startUnderWay { _ = try await stage.store.jobs.complete(job, order, as: stage.gateway) }
            }
            #expect(try await stage.stored(.statuses, id, 0).prefix(2) == [3, DeliveryStatus.registered])
            if evidence != .tokenElsewhere { try await report(1) }
            switch evidence {
            case .none, .startUnderWay, .tokenElsewhere: break
            case .restartUnderWay: _ = try #require(try await stage.store.restarts.lockRestarts(of: id, for: .random()))
            case .acceptedBefore, .doubtfulBefore, .refusedBefore:
                let kind: [UInt8] =
                    evidence == .acceptedBefore
                    ? [0]
                    : evidence == .doubtfulBefore
                        ? [UInt8(PageOutcome.unknownReason.utf8.count)] + PageOutcome.unknownReason.utf8
                        : [3] + "Bad".utf8
                try await stage.put([1, 0, 0, 0, 1] + kind + [0, 1], .outcomes, id, 0)
            case .reported: _ = try await stage.sync(1, .id(id, type: nil))
            }
            if evidence != .tokenElsewhere { #expect(try await queued(stage) == ["user-1"]) }
            func work() async throws -> FollowerWork {
                try await stage.store.topicActivities.work(
                    for: ["user-1"], in: try await stage.read(id), lease, served: nil, healLimit: 3,
                    contentSince: stage.now)
            }
            let found = try await work()
            let starts = found.starts
            // The start may have passed the place before the phone was back.
            let isAwaited = [.startUnderWay, .restartUnderWay].contains(evidence)
            #expect(found.later.map(\.insiderID) == (isAwaited ? ["user-1"] : []))
            switch evidence {
            case .none, .refusedBefore:
                #expect(starts.count == 1)
                draft = BroadcastDraft(
                    kind: .start, scope: .slots(starts), payload: draft.payload, priority: 10,
                    expiration: stage.now.seconds + 60)
                draft.topic = .init(lease, joined: 0)
                _ = try await stage.store.broadcasts.begin(draft, for: try await stage.read(id)).get()
                let places = try await stage.startTokens(id).filter { $0.value == StoreStage.token(1) }.map(\.key)
                #expect(places == starts.map(Int.init))
                #expect(try await work().starts.isEmpty)
                #expect(try await stage.stored(.statuses, id, 0)[1] == DeliveryStatus.removed)
            case .tokenElsewhere:
                #expect(starts.isEmpty)
                #expect(try await queued(stage).isEmpty)
                try await report(1)
                #expect(try await queued(stage) == ["user-1"])
                #expect(try await work().starts.count == 1)
            default:
                #expect(starts.isEmpty)
                #expect(try await stage.stored(.statuses, id, 0)[1] == DeliveryStatus.registered)
            }
        }
    }

    @Test("A driver that is gone between a follower's new place and leaving the old one leaves the follower one place")
    func abandonedPlace() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let (lease, topic) = try await live(stage, listed: 0..<2)
            let made = try #require(try await makeActivity(topic, stage))
            var draft = BroadcastDraft(
                kind: .start, scope: .wholeSegment,
                payload: .update(content: Content(), options: PresentationOptions()), priority: 10,
                expiration: stage.now.seconds + 60)
            draft.topic = .init(lease, tells: topic.version, life: topic.life)
            _ = try await stage.store.broadcasts.begin(draft, for: made).get()
            let id = made.activity.id
            let ended = DeliveryStatus.ended(.userUnfollow)
            try await stage.putStatuses([ended, DeliveryStatus.startAccepted], from: 0, id)
            let record = try await stage.read(id)
            let work = try await stage.store.topicActivities.work(
                for: StoreStage.ids(0..<2), in: record, lease, served: nil, healLimit: 3, contentSince: stage.now)
            let slot = try #require(work.starts.first)
            #expect(work.starts.count == 1)
            #expect(try await stage.stored(.statuses, id, 0).prefix(2) == [DeliveryStatus.removed, 3])
            // Undoes the vacating, as if the driver had stopped before it.
            try await stage.putStatuses([ended], from: 0, id)
            let found = try await stage.store.topicActivities.unstarted.find(try await take(stage, lease), in: record)
            #expect(found.starts == [slot] && found.users == 0)
            #expect(try await stage.stored(.statuses, id, 0).prefix(2) == [DeliveryStatus.removed, 3])
            // A device whose membership still names the old slot keeps it.
            try await stage.putStatuses([DeliveryStatus.startAccepted, ended], from: 0, id)
            let user = try #require(try await stage.store.devices.user("user-1", tenantID: stage.tenant))
            let field = UserRecord.membershipField(id)
            let membership = try #require(user.membership(in: id))
            _ = try await stage.store.topicActivities.work(
                for: ["user-1"], in: record, lease, served: nil, healLimit: 3, contentSince: stage.now)
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.user(stage.tenant, "user-1"), field, membership.bytes))
            try await stage.putStatuses([ended], from: 1, id)
            let none = try await stage.store.topicActivities.unstarted.find(try await take(stage, lease), in: record)
            #expect(none.starts.isEmpty)
            #expect(try await stage.stored(.statuses, id, 0)[1] == ended)
        }
    }

    @Test("A topic whose driver may be gone is due when that one's lease has run out")
    func driverGone() async throws {
        try await StoreStage.run { stage in
            let (lease, _) = try await live(stage, listed: 0..<0)
            let due = Keys.due(lease.topic.shard)
            let item = lease.topic.description
            // A gateway leases the due item for 15 s and dies.
            let later = (stage.now + .seconds(15)).milliseconds
            _ = try await stage.store.value(RedisCommand("ZADD", due, later, item))
            let other = TopicLease(lease.topic)
            guard case .others = try await stage.store.topics.take(other) else {
                Issue.record("Two drive one topic.")
                return
            }
            let at = try await stage.store.value(RedisCommand("ZSCORE", due, item)).string
            #expect(at == String((stage.now + StoredTopics.leaseLife).milliseconds))
            stage.advance(StoredTopics.leaseLife)
            _ = try await take(stage, other)
        }
    }

    @Test("Topics that are not there any more, and those a user waits for, leave room for others")
    func deletedTopics() async throws {
        try await StoreStage.run { stage in
            _ = try await live(stage, listed: 0..<0)
            let key = Keys.follows(stage.tenant, "user-0")
            let fields = (0..<StoredFollowers.topicsOfUser).flatMap { ["gone-\($0)", "1"] }
            _ = try await stage.store.value(RedisCommand("HSET", arguments: [key] + fields))
            let waiting = (0..<StoredFollowers.topicsOfUser).map { "list-\($0)" }
            _ = try await stage.store.value(
                RedisCommand("SADD", arguments: [Keys.waiting(stage.tenant, "user-0")] + waiting))
            try await follow(0, stage)
            #expect(!(try await stage.store.value(RedisCommand("HGET", key, Self.name)).isNull))
        }
    }

    @Test("No key of a topic is another topic's")
    func keys() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let (lease, _) = try await live(stage, listed: 0..<1)
            try await follow(0, stage)
            _ = try await stage.store.topicActivities.queued(lease.topic)
            let key = Keys.topic(lease.topic)
            let keys = try await stage.keys("*:\(lease.topic)*")
            #expect(keys.count >= 3 && !TopicName.isValid("a/q"), "\(keys)")
            for other in keys where other != key { #expect(other.hasPrefix(key + "/"), "\(other)") }
        }
    }

    @Test("An unfollow that is written late does not remove the topic of a later follow from the user")
    func lateUnfollow() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let (lease, _) = try await live(stage, listed: 0..<0)
            let key = StoreStage.key(0)
            let before = stage.now
            stage.advance(.milliseconds(1))
            try await follow(0, stage)
            _ = try await stage.store.followers.setWish(false, of: key.insiderID, lease.topic, reportedAt: before)
            let follows = RedisCommand("HKEYS", Keys.follows(stage.tenant, key.insiderID))
            #expect(try await stage.store.value(follows).array?.compactMap(\.string) == [Self.name])
            stage.advance(.milliseconds(1))
            try await follow(0, stage, false)
            #expect(try await stage.store.value(follows).array?.isEmpty == true)
        }
    }
}
