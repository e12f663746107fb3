import Delivery
import Foundation
import LiveActivity
import RedisClient
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite(
    "Scripts that Redis refuses halfway",
    .enabled(
        if: !StoreBackend.isCluster && !StoreBackend.isEncrypted,
        "the proxy speaks to a socket; the run without a cluster and TLS has it"))
struct ScriptRefusalTests {
    /// Tests of other suites that call the scripts. Behind the proxy, each of them also checks refused calls.
    private static let scenarios: [@Sendable () async throws -> Void] = [
        { try await RestartStoreTests().prepare() }, ScriptScenarios.others,
        { try await BeginTests().startAgainstAdd() }, { try await BeginTests().partialEnd() },
        { try await JobStreamTests().once() }, { try await JobStreamTests().lanes() },
        { try await JobStreamTests().takeOver() }, { try await JobStreamTests().handOver() },
        { try await JobStreamTests().finishing() }, { try await JobStreamTests().superseding() },
        { try await JobStreamTests().turns() }, { try await JobStreamTests().discarding() },
        { try await StartHoldTests().takeOver() }, { try await StartHoldTests().releasedBetween() },
        { try await StartHoldTests().doubtHasAnOwner() }, { try await StartDoubtTests().skipsOnce() },
        { try await HeldBroadcastTests().record() }, { try await HeldBroadcastTests().takeOver() },
        { try await HeldBroadcastTests().renewal() }, { try await HeldBroadcastTests().failed() },
        { try await VanishedBroadcastTests().counted() },
        { try await RestartStoreTests().oneHolder() }, { try await HealingStoreTests().over() },
        { try await PageStoreTests().statuses() }, { try await FollowerTests().counted() },
        { try await TokenHandOverTests().places() }, { try await QuarantineTests().update() },
        { try await TapStoreTests().bounded() }, { try await DeviceStoreTests().changesReachTheRoster() },
        { try await FollowerRaceTests().reportsMeanwhile() }, { try await FollowerRaceTests().driverGone() },
        { try await FollowerRaceTests().deletedTopics() }, { try await FollowerRaceTests().abandonedPlace() },
        { try await BeginTests().stateChanged() }, { try await StartHoldTests().lateOutcomes() },
        { try await StartHoldTests().releasedBehindEnd() }, { try await VanishedBroadcastTests().jobGone() },
        { try await SyncStoreTests().lateEnd() }, { try await AndroidTests().missedEnd() },
        { try await AndroidTests().iPhoneAfterEnd() }, { try await StartDoubtTests().leftOutBehindUpdate() },
        { try await PageStoreTests().deadStartTokens() }, { try await HeldBroadcastTests().outcomes() },
        { try await HeldBroadcastTests().kept() }, drive, single, ScriptScenarios.webhooks,
        ScriptScenarios.lostEvents, ScriptScenarios.webhookSecrets, ScriptScenarios.schedules,
        { try await DeviceEventShareTests().ended() }, { try await DeviceEventShareTests().erased() },
        { try await WebhookFailureTests().failures() },
        { try await StoredChannelsTests().taking() }, { try await StoredChannelsTests().racing() },
        { try await StoredChannelsTests().creations() }, { try await StoredChannelsTests().dooming() },
        { try await StoredChannelsTests().lease() }, { try await StoredChannelsTests().strangers() },
        { try await RateLimitTests().serverClock() }, { try await KeyRotationTests().inARow() },
        { try await IdentitySealingTests().keys() }, { try await TenantTests().limits() },
        { try await BrokenOffRemovalTests().erased(times: 1) }, { try await BrokenOffRemovalTests().deviceErased() },
        { try await DeviceRemovalTests().oneOfTwo() }, { try await DeviceRemovalTests().makingWay() },
        { try await CutOffTests().opened(isOfUser: true) },
        { try await CutOffTests().syncBehindErasure(platform: .android) },
        { try await StoredFeedsTests().leases() }, { try await StoredFeedsTests().runningOut() },
        { try await IdempotencyTests().sameID() }, { try await StoredProviderTokenTests().first() },
        { try await StoredProviderTokenTests().refused() }, { try await StoredProviderTokenTests().lease() },
        { try await RequestRatesTests().twoGateways() }, { try await OpenedActivitiesTests().retries() },
        { try await ReservedScheduleTests().fullList() }, { try await ReservedScheduleTests().renewed() },
        { try await StoredSendQuotaTests().closed() }, { try await StoredSendQuotaTests().slow() },
        { try await StoredSendQuotaTests().ramp() }, { try await SegmentStoreTests().cleanups() },
        { try await ActivityListingTests().parts() }, { try await AndroidTests().lateToken() },
    ]

    /// The steps of a topic's driver.
    private static func drive() async throws {
        try await StoreStage.run { stage in
            let topics = stage.store.topics
            let id = TopicID(tenantID: stage.tenant, name: "derby")
            let user = StoreStage.key(0).insiderID
            var write = TopicWrite(type: StoreStage.type, state: .live, digest: [1])
            write.start = .update(content: Content(), options: PresentationOptions())
            _ = try await topics.put(write, to: id)
            _ = try await stage.store.followers.setWish(true, of: user, id, reportedAt: stage.now)
            let lease = TopicLease(id)
            _ = try await topics.take(lease)
            for candidate in [.random(), UniqueID?.none] { _ = try await topics.nameCandidate(candidate, lease) }
            for version in [1, nil] { try await stage.store.topicActivities.noteRefusedContent(version, lease) }
            _ = try await topics.run(
                Scripts.noteStarts(topic: Keys.topic(id), now: stage.now.milliseconds, most: 3, users: [user]))
            _ = try await topics.release(lease, seenTo: 1, next: stage.now + .seconds(60), isForced: true)
            _ = try await topics.take(lease)
            try await topics.conclude(lease, nil, reason: "none")
            _ = try await topics.release(lease, seenTo: 1, next: stage.now + .seconds(60), isForced: true)
            _ = try await topics.run(
                Scripts.forgetFollower(topic: Keys.topic(id), user: user, latest: stage.now.milliseconds))
            _ = try await topics.delete(id)
        }
    }

    /// Steps that the tests above do not reach.
    private static func single() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.started(0..<4)
            let (id, broadcasts) = (record.activity.id, stage.store.broadcasts)
            let list = Keys.broadcast(id, try #require(try await stage.begin(.update, record, .slots([0, 1]))).id)
            _ = try await broadcasts.run(Scripts.noteBroadcast(broadcast: list, fields: ["wrong_environment", "1"]))
            _ = try await broadcasts.run(Scripts.supersedeList(broadcast: list, time: stage.now.milliseconds))
            _ = try await broadcasts.run(
                Scripts.takeLastTimestamp(activity: Keys.activity(id), now: stage.now.milliseconds, slot: 0))
            _ = try await broadcasts.run(
                Scripts.noteMet(
                    reading: Keys.readPage(id, 0), order: 2, index: 1,
                    expiresAt: record.activity.keptUntil.milliseconds))
            let (due, item) = (Keys.due(Keys.shard(id)), DueItem.activity(id).description)
            let until = (stage.now + .seconds(15)).milliseconds
            _ = try await stage.store.value(RedisCommand("ZADD", due, until, item))
            _ = try await broadcasts.run(
                Scripts.giveBackItems(due: due, takenUntil: until, at: stage.now.milliseconds, items: [item]))
        }
    }

    /// The commands that no scenario has a script call. Some take back a refused write, so no other call uses them.
    private static let open: Set = [
        "claim-idempotency-key DEL", "delete-topic UNLINK",
        "forget-secrets HSET", "name-live-activity HDEL", "note-follow HDEL", "note-tap ZPOPMIN",
        "open-partition HDEL", "postpone-healing HSET", "postpone-healing ZADD", "prepare-restart HDEL",
        "publish-events DEL", "put-device HDEL", "put-update-cell SETBIT", "release-token HSET", "release-topic ZREM",
        "replace-update-token SETBIT", "take-jobs ZADD",
    ]

    @Test("A call that Redis refuses at any of its writes leaves nothing that its repetition does not complete")
    func repetition() async throws {
        let refusals = ScriptRefusals()
        try await ScriptRefusals.$current.withValue(refusals) {
            for scenario in Self.scenarios { try await scenario() }
        }
        for fault in refusals.faults {
            Issue.record("\(fault.script) without \(fault.command): \(fault.text)")
        }
        let refused = refusals.refused
        var missing: Set<String> = []
        for (folder, name, commands) in try scriptsThatWrite() {
            if let all = refused[name] {
                missing.formUnion(commands.subtracting(all).map { "\(name) \($0)" })
            } else {
                missing.insert("\(folder) \(name)")
            }
        }
        #expect(missing.subtracting(Self.open).sorted() == [], "not refused in any scenario")
        #expect(Self.open.subtracting(missing).sorted() == [], "refused in a scenario by now")
    }

    /// Folder, name and write commands of each script that writes, without those of the parts that it includes.
    private func scriptsThatWrite() throws -> [(folder: String, name: String, commands: Set<String>)] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Store/GatewayStore").standardizedFileURL
        let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".lua") }.sorted().compactMap { path in
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            guard let title = text.firstMatch(of: #/^-- ([a-z-]+) \(writes\)\n/#) else { return nil }
            let commands = Set(text.matches(of: #/redis\.p?call\('([A-Z]+)'/#).map { String($0.1) })
            return (String(path.prefix { $0 != "/" }), String(title.1), commands.intersection(ScriptRefusals.writes))
        }
    }
}
