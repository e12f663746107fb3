import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

/// Reports whose gateway is killed between two steps, and which the device repeats.
@Suite("Interrupted reports")
struct InterruptedReportTests {
    /// Writes a report to the user's hash. Then its gateway is killed.
    private func write(_ stage: StoreStage, _ token: [UInt8], _ record: [UInt8]) async throws {
        stage.advance(.milliseconds(1))
        let report = TokenReport(
            key: StoreStage.key(0), token: token, type: "", record: record, tenantID: stage.tenant,
            receivedAt: stage.now, limits: .standard)
        _ = try await withCheckedContinuation { continuation in
            stage.reactor.execute {
                stage.store.devices.put(report) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    private func pendingChanges(_ stage: StoreStage) async throws -> Int? {
        try await stage.store.devices.user(StoreStage.key(0).insiderID, tenantID: stage.tenant)?.pendingChanges.count
    }

    @Test("A withdrawn consent that was written to the user alone reaches the rosters with the repeated report")
    func consent() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let started = try await stage.started(0..<1).activity.id
            let registered = try await stage.register(0..<1).activity.id
            #expect(try await stage.sync(0, .id(started, type: nil)).word == "synced")
            let refusing = StoreStage.device(consent: false)
            try await write(stage, [], DeviceRecord.encode(refusing))
            #expect(try await pendingChanges(stage) == 1)
            #expect(try await stage.startTokens(registered).count == 1)
            stage.advance(.milliseconds(1))
            try await stage.store.devices.putDevice(refusing, StoreStage.key(0), tenantID: stage.tenant)
            #expect(try await stage.startTokens(registered).isEmpty)
            let tokens = TokenPage(try await stage.stored(.updateTokens, started, 0))
            #expect(tokens.cell(0) == .none(.gdprDenied))
            #expect(try await pendingChanges(stage) == 0)
        }
    }

    @Test("A new push-to-start token that was written to the user alone reaches the rosters with the repeated report")
    func token() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let registered = try await stage.register(0..<1).activity.id
            try await write(stage, [9, 9], [])
            #expect(try await stage.startTokens(registered) == [0: StoreStage.token(0)])
            for _ in 0..<2 {
                stage.advance(.milliseconds(1))
                try await stage.store.devices.putPushToStartToken(
                    [9, 9], StoreStage.key(0), tenantID: stage.tenant, type: "")
                #expect(try await stage.startTokens(registered) == [0: [9, 9]])
                #expect(try await pendingChanges(stage) == 0)
            }
        }
    }

    @Test("A withdrawn consent that was written to the user alone reaches the rosters with the repeated import")
    func importing() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let registered = try await stage.register(0..<1).activity.id
            let refusing = StoreStage.device(consent: false)
            try await write(stage, [], DeviceRecord.encode(refusing))
            stage.advance(.milliseconds(1))
            try await stage.store.devices.importDevices(
                [(StoreStage.key(0), refusing, StoreStage.token(0))], tenantID: stage.tenant)
            #expect(try await stage.startTokens(registered).isEmpty)
            #expect(try await pendingChanges(stage) == 0)
        }
    }

    @Test("A token that was marked at its former login alone leaves its rosters with the new login's repeated report")
    func handOver() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            func report(_ user: Int) async throws {
                stage.advance(.milliseconds(1))
                try await stage.store.devices.putPushToStartToken(
                    [7, 7], StoreStage.key(user), tenantID: stage.tenant, type: nil, receivedAt: stage.now)
            }
            try await report(0)
            let registered = try await stage.register(0..<1).activity.id
            stage.advance(.milliseconds(1))
            _ = try await stage.store.run(
                stage.store.devices.handOvers.markCall(
                    [7, 7], .elsewhere, userKey: Keys.user(stage.tenant, StoreStage.key(0).insiderID), number: 1,
                    asOf: stage.now))
            #expect(try await stage.startTokens(registered) == [0: [7, 7]])
            try await report(1)
            #expect(try await stage.startTokens(registered).isEmpty)
        }
    }

    @Test("A change of a user in no activity leaves no note")
    func withoutActivity() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            try await write(stage, [], DeviceRecord.encode(StoreStage.device(consent: false)))
            #expect(try await pendingChanges(stage) == 0)
        }
    }

    @Test("A dismissal whose unfollow fails is repeated with its unfollow, in the name of the Live Activity's login")
    func dismissal() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            func takeToken(_ user: Int) async throws {
                stage.advance(.milliseconds(1))
                try await stage.store.devices.putPushToStartToken(
                    [7, 7], StoreStage.key(user), tenantID: stage.tenant, type: nil, receivedAt: stage.now)
            }
            try await takeToken(0)
            let record = try await stage.started(0..<1)
            try await takeToken(1)
            let (id, unfollowed) = (record.activity.id, Locked<[String]>([]))
            for fails in [true, false] {
                let outcome = try? await stage.store.reports.dismiss(
                    StoreStage.key(1), reference: .id(id, type: nil), tenantID: stage.tenant
                ) { user, _ throws(StoreError) in
                    unfollowed.withLock { $0.append(user) }
                    if fails { throw .unavailable("") }
                }
                #expect(outcome?.dismissal == (fails ? nil : Dismissal(activityID: id, isOfRunning: true)))
            }
            #expect(unfollowed.withLock { $0 } == ["user-0", "user-0"])
        }
    }

    @Test("A consent that is given again before a report's token is cleared leaves the token")
    func consentAgain() async throws {
        // The order of the commands of one connection decides.
        try await StoreStage.run(onCluster: false) { stage in
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            let key = StoreStage.key(0)
            try await stage.store.devices.putDevice(StoreStage.device(consent: false), key, tenantID: stage.tenant)
            stage.advance(.milliseconds(1))
            let consented = stage.now
            await withCheckedContinuation { synced in
                stage.reactor.execute {
                    let call = SyncCall(
                        stage.store.reports, key, tenantID: stage.tenant, token: [1, 2], systemActivityID: nil
                    ) { _ in synced.resume() }
                    call.begin(id)
                    // Its reply comes with those of the first round. The second round is sent before the consent.
                    stage.redis.send(RedisCommand("PING")) { _ in
                        stage.store.devices.note(
                            .device(StoreStage.device()), of: key, tenantID: stage.tenant, .standard,
                            receivedAt: consented
                        ) { _ in }
                    }
                }
            }
            let tokens = try await stage.stored(.updateTokens, id, 0)
            guard case .content(let range) = TokenPage(tokens).cell(0) else {
                Issue.record("the token is cleared")
                return
            }
            #expect(tokens[range].suffix(2) == [1, 2])
        }
    }
}
