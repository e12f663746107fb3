import BroadcastCore
import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import ScrapedMetrics
import Testing
import TimeCore

/// A device is in doubt if its start was noted, and its gateway was killed before it recorded an outcome.
@Suite("Devices of a start in doubt", .serialized)
struct DoubtTests {
    @Test("A small start has few devices in doubt until the provider answers")
    func littleInDoubt() async throws {
        try await TestStage.run(configure: {
            $0.connectAgainQuickly()
            $0.push.maximumConnections = 1
        }) { stage in
            try await stage.addDevices(100)
            let id = try await stage.register(100)
            stage.mock.setScript(.always(.silence))
            _ = try await stage.begin("start", TestStage.body(id))
            let streams = stage.options.push.initialStreams
            #expect(await stage.mock.waitFor(pushes: streams, timeout: .seconds(60)))
            // The pushes in flight, and the same number of next ones.
            try await stage.eventually("nobody is noted ahead") { try await stage.notedDevices() > streams }
            #expect(try await stage.notedDevices() == 2 * streams)
            #expect(stage.mock.counts().pushes == streams)
            stage.mock.setScript(MockScript())
        }
    }

    @Test("Answers are recorded while the rest of the page is still open")
    func asTheyCome() async throws {
        try await TestStage.run(configure: {
            $0.connectAgainQuickly()
            $0.push.maximumConnections = 1
            $0.push.pushDeadline = .seconds(600)
        }) { stage in
            try await stage.addDevices(40)
            let id = try await stage.register(40)
            var script = MockScript()
            script.rules = [MockRule(.init(skip: 12), .silence)]
            stage.mock.setScript(script)
            let broadcast = try await stage.begin("start", TestStage.body(id))
            let activity = try #require(UniqueID(id))
            try await stage.eventually("the twelve that were answered are not recorded") {
                try await stage.store.broadcasts.broadcast(broadcast, in: activity)?.counts.accepted == 12
            }
            #expect(try await stage.store.broadcasts.broadcast(broadcast, in: activity)?.state == .running)
            stage.mock.setScript(MockScript())
        }
    }

    @Test("A large start has at most 32 devices per connection in doubt beyond the pushes in flight")
    func provenConnections() async throws {
        let (count, connections, streams) = (6000, 4, 200)
        try await TestStage.run(configure: {
            $0.connectAgainQuickly()
            $0.push.maximumConnections = connections
            // Nothing is given up meanwhile.
            $0.push.pushDeadline = .seconds(600)
        }) { stage in
            try await stage.addDevices(count)
            stage.mock.setScript(.slow(.milliseconds(20), streams: UInt32(streams)))
            // All connections are there, and then each answers more than it is noted for.
            for _ in 0..<2 {
                let id = try await stage.register(count)
                #expect(try await stage.call("start", TestStage.body(id)).accepted == count)
                try await stage.eventually("there are fewer connections") {
                    let ready = ["state": "ready", "purpose": "ordinary"]
                    return try await stage.metrics().value("fanfare_push_connections", ready) == Double(connections)
                }
            }
            let before = stage.mock.counts().pushes

            stage.mock.setScript(.always(.silence))
            _ = try await stage.begin("start", TestStage.body(try await stage.register(count)))
            let onWire = connections * streams
            #expect(await stage.mock.waitFor(pushes: before + onWire, timeout: .seconds(60)))
            // At least half of the bound is noted at a time.
            let most = connections * 32
            try await stage.eventually("too few are noted ahead") {
                try await stage.notedDevices() - onWire > most / 2
            }
            #expect(try await stage.notedDevices() - onWire <= most)
            #expect(stage.mock.counts().pushes == before + onWire)
            stage.mock.setScript(MockScript())
        }
    }

    @Test("No device is in doubt while the provider refuses connections, and a takeover sends all starts")
    func waitingForConnections() async throws {
        try await TestStage.run(configure: {
            $0.connectAgainQuickly()
            $0.jobs.limits.silence = .seconds(2)
        }) { stage in
            try await stage.addDevices(1000)
            let id = try await stage.register(1000)
            var script = MockScript()
            script.connections = .init(.refuse)
            stage.mock.setScript(script)
            let broadcast = try await stage.begin("start", TestStage.body(id))
            try await stage.eventually("the start is not paused") {
                try await stage.read("/api/v1/live-activity/broadcasts/\(broadcast)")["state"]?.string == "paused"
            }
            #expect(try await stage.notedDevices() == 0)
            // The gateway loses the job to one that is gone before it sends anything.
            try await stage.takeOver(try #require(UniqueID(id)))
            stage.mock.setScript(MockScript())
            let ended = try await stage.ended(broadcast)
            #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == 1000, "\(ended.text)")
            #expect(ended.failed("unknown") == 0)
            let tokens = stage.pushes(.start).map(\.token)
            #expect(tokens.count == 1000 && Set(tokens).count == 1000)
            #expect(try await stage.metrics().value("fanfare_jobs_resumed_total") == 1)
        }
    }
}
