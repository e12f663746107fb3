import Broadcasts
import Gateway
import LiveActivity
import MockAPNs
import PushClient
import Reactor
import ScrapedMetrics
import Testing
import TimeCore

@Suite("A gateway that is cut off from the provider beside a connected one", .serialized)
struct CutOffTests {
    private static let streams = 20

    private static let slow: MockScript = {
        var script = MockScript()
        script.latency = .fixed(.milliseconds(100))
        script.streamLimit = .init(usual: UInt32(streams))
        return script
    }()

    /// A start at a gateway that is not the stage's, and that works on it itself.
    private func begin(_ stage: TestStage, _ count: Int, at gateway: Gateway) async throws
        -> (activity: String, broadcast: UniqueID)
    {
        func taken(_ port: Int) async throws -> Double {
            try await stage.metrics(port: port).sum("fanfare_jobs_taken_total")
        }
        let other = stage.gateways[0].port
        for _ in 0..<20 {
            let id = try await stage.register(count)
            let before = (here: try await taken(gateway.port), there: try await taken(other))
            let broadcast = try await stage.begin("start", TestStage.body(id), port: gateway.port)
            var isHere = false
            try await stage.eventually("nobody takes the job") {
                isHere = try await taken(gateway.port) > before.here
                if isHere { return true }
                return try await taken(other) > before.there
            }
            if isHere { return (id, broadcast) }
            // The stage's has been faster.
            stage.mock.setScript(MockScript())
            _ = try await stage.ended(broadcast)
            stage.mock.setScript(Self.slow)
        }
        throw NeverFirst()
    }

    @Test("A gateway cut off within a start leaves the rest to the other and reports it; reconnected it is ready")
    func middleOfStart() async throws {
        let count = 1200
        try await TestStage.run(configure: {
            $0.push.initialBackoff = .milliseconds(50)
            $0.push.maximumBackoff = .seconds(1)
            $0.push.maximumConnections = 1
            // The other one looks seldom, so that the start is begun by the one that was asked for it.
            $0.jobs.period = .milliseconds(500)
        }) { stage in
            try await stage.addDevices(count)
            let relay = try Relay(to: stage.mock.port)
            defer { relay.cut() }
            var options = stage.options
            options.push.addresses = [try #require(SocketAddress(numericHost: "127.0.0.1", port: relay.port))]
            options.jobs.period = .milliseconds(100)
            options.triesCredentials = true
            stage.mock.setScript(Self.slow)
            let cutOff = try await Gateway.start(options, logger: TestStage.silent)
            let start = try await begin(stage, count, at: cutOff)
            let before = stage.mock.counts().pushes
            #expect(await stage.mock.waitFor(pushes: before + 500, timeout: .seconds(60)))
            relay.cut()
            stage.mock.setScript(MockScript())
            try await stage.waitUntilItCannotPush(cutOff)
            let ended = try await stage.ended(start.broadcast)
            // Pushes that were in flight are in doubt, and are not sent again.
            let unknown = ended.failed("unknown")
            #expect(unknown <= Self.streams, "\(ended.text)")
            #expect(ended["state"]?.string == "done", "\(ended.text)")
            #expect(ended["accepted"]?.int64 == Int64(count - unknown), "\(ended.text)")
            let tokens = stage.pushes(.start).filter { $0.header("apns-collapse-id") == start.activity }.map(\.token)
            #expect(tokens.count >= count - unknown && Set(tokens).count == tokens.count)
            #expect(try await stage.metrics().value("fanfare_jobs_resumed_total") == 1)
            #expect(try await stage.ready(cutOff).status == 503)

            try relay.mend()
            try await stage.eventually("it is not ready again") { try await stage.ready(cutOff).status == 200 }
            await cutOff.stop()
        }
    }
}
