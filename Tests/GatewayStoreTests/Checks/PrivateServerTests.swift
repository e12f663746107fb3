import Delivery
import Foundation
import LiveActivity
import Reactor
import RedisClient
import RedisServerProcess
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The private server")
struct PrivateServerTests {
    /// That each write is on disk before its answer is what `appendfsync always` says; a slow disk cannot be had here.
    @Test("Passes the check of persistence, and has after a SIGKILL what was answered the moment before")
    func killed() async throws {
        var options = RedisServerOptions()
        options.persistence = .appendOnly
        let directory = "/tmp/fanfare-private-\(UniqueID.random())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try await RedisServerProcess.start(in: directory, options: options, deadline: .seconds(30))
        let reactor = try Reactor(name: "private")
        let redis = RedisClient(reactor: reactor, endpoint: server.endpoint)
        let store = GatewayStore(redis: redis)
        let check = try #require(await store.facts()).checks.first { $0.name == .persistence }
        #expect(check?.finding == .good)

        try await store.devices.importDevices(
            [(StoreStage.key(0), StoreStage.device(), StoreStage.token(0))], tenantID: "t")
        let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: WallTime.now() + .seconds(3600))
        let report = try await store.activities.register(registration, insiderIDs: StoreStage.ids(0..<1), tenantID: "t")
        let id = try #require(report.activityID)
        let record = try #require(try await store.activities.activity(id))
        let payload = Payload.update(content: Content(), options: PresentationOptions())
        let draft = BroadcastDraft(kind: .start, scope: .wholeSegment, payload: payload, priority: 10, expiration: 0)
        let order = try await store.broadcasts.begin(draft, for: record).get()
        server.kill()
        try await server.start(deadline: .seconds(30))
        let end = MonotonicTime.now() + .seconds(30)
        while MonotonicTime.now() < end, (try? await store.ping()) == nil { await Task.yield() }
        let found = try await store.broadcasts.order(order.id, of: record)
        #expect(found?.payload == order.payload)
        let state = try await store.activities.activity(id)?.activity.state
        #expect(state == .started)
        await redis.shutdown()
        reactor.stop()
        await server.stop()
    }
}
