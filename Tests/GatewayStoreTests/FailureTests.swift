import Delivery
import LiveActivity
import RosterCore
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("When Redis is gone")
struct FailureTests {
    @Test("Every call says that the store is unavailable, quickly, and works again when Redis is back")
    func killed() async throws {
        // A long deadline, because calls have to fail before it.
        try await StoreStage.run(commandDeadline: .seconds(600)) { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let order = try #require(try await stage.begin(.update, record))
            stage.backend.kill()
            let calls: [(String, () async throws -> Void)] = [
                ("ping", { try await stage.store.ping() }),
                ("admit", { _ = try await stage.store.tenants.admit(key: "k", kind: .api, limit: 1) }),
                (
                    "device",
                    { try await stage.store.devices.putDevice(StoreStage.device(), StoreStage.key(0), tenantID: "t") }
                ),
                ("register", { _ = try await stage.register(0..<2) }),
                ("add", { _ = try await stage.store.activities.addUsers(["a"], to: record.activity.id) }),
                ("begin", { _ = try await stage.begin(.update, record) }),
                ("sync", { _ = try await stage.sync(0, .id(record.activity.id, type: nil)) }),
                ("page", { _ = try await stage.page(0, order) }),
                (
                    "targets",
                    { _ = try await stage.store.roster.targets([StoreStage.key(0)], .update, in: record.activity) }
                ),
                (
                    "finish",
                    {
                        var outcome = PageOutcome(page: 0)
                        outcome.deadTokens = [(0, [1], stage.now)]
                        try await stage.finish(outcome, order)
                    }
                ),
            ]
            for (name, call) in calls {
                do {
                    try await call()
                    Issue.record("\(name) succeeded")
                } catch StoreError.unavailable {
                } catch {
                    Issue.record(error, "\(name)")
                }
            }
            try await stage.backend.restart()
            let end = MonotonicTime.now() + .seconds(30)
            while MonotonicTime.now() < end, (try? await stage.store.ping()) == nil { await Task.yield() }
            #expect(try await stage.store.activities.activity(record.activity.id) == nil)
        }
    }

    @Test("A paused Redis is unavailable by the deadline of the commands, and not before it is asked")
    func paused() async throws {
        try await StoreStage.run(commandDeadline: .milliseconds(500)) { stage in
            try await stage.store.ping()
            stage.backend.pause()
            await #expect(throws: StoreError.self) { try await stage.store.ping() }
            stage.backend.resume()
        }
    }
}
