import BroadcastCore
import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Reactor
import RedisClient
import RedisServerProcess
import TestStore
import Testing
import TimeCore

@Suite(
    "The counts of an update whose gateway is gone and that a newer one supersedes", .serialized,
    .disabled(
        if: StoreBackend.isCluster || StoreBackend.isEncrypted,
        "a relay stands in front of one plain server; the run without a cluster has it"))
struct UpdateDoubtTests {
    /// A gateway that reaches Redis and the provider by relays.
    private struct Mortal {
        let gateway: Gateway
        let ways: [Relay]

        init(_ stage: TestStage) async throws {
            guard case .server(let server) = stage.redis, case .tcp(_, let port)? = server.tcpEndpoint?.location else {
                throw NoPort()
            }
            let (store, provider) = (try Relay(to: port), try Relay(to: stage.mock.port))
            var options = stage.options
            options.redis = RedisEndpoint(location: .tcp(host: "127.0.0.1", port: store.port))
            options.push.addresses = [try #require(SocketAddress(numericHost: "127.0.0.1", port: provider.port))]
            // The open pages get an eighth of this time.
            options.shutdownTimeout = .seconds(160)
            gateway = try await Gateway.start(options, logger: TestStage.silent)
            ways = [store, provider]
        }

        /// Looks like a kill to the other gateways.
        func kill() {
            for way in ways { way.cut() }
        }

        func bury() async throws {
            for way in ways { try way.mend() }
            await gateway.stop()
        }
    }

    private struct NoPort: Error {}

    /// Sends an update with this number to all.
    private func update(
        _ stage: TestStage, _ id: String, _ number: Int, at gateway: Gateway, headers: [String: String] = [:]
    ) async throws -> TestStage.Answer {
        let body = TestStage.body(id, number: number)
        return try await stage.call("update", body, headers: headers, port: gateway.port)
    }

    /// The devices that the provider has accepted this update for.
    private func ledger(_ stage: TestStage, _ number: Int) -> Set<String> {
        let entries = stage.pushes(.update).filter {
            $0.contentNumber == Int64(number) && $0.answer == .answered(status: 200, reason: nil)
        }
        return Set(entries.map(\.token))
    }

    private func ended(_ stage: TestStage, _ location: String, at gateway: Gateway) async throws -> TestStage.Answer {
        let headers = ["X-Api-Key": stage.tenant.apiKey]
        var answer = try await stage.send("GET", location, nil, headers: headers, port: gateway.port)
        try await stage.eventually("it does not end") {
            answer = try await stage.send("GET", location, nil, headers: headers, port: gateway.port)
            return answer["finished_at"]?.string != nil
        }
        return answer
    }

    /// The devices with an update token.
    private static let synced = 200

    /// Runs `body` with an activity and a gateway in the middle of an update. Some of the devices have update tokens,
    /// spread over all pages.
    private func inUpdate(
        of count: Int, _ body: (TestStage, String, String, Mortal) async throws -> Void
    ) async throws {
        var settings = RedisServerOptions()
        settings.listensOnTCP = true
        try await TestStage.run(
            redis: settings,
            configure: {
                $0.jobs.limits.silence = .seconds(2)
                $0.push.maximumConnections = 1
            }
        ) { stage in
            let id = try await stage.started(count)
            for number in stride(from: 0, to: count, by: count / UpdateDoubtTests.synced) {
                #expect(try await stage.sync(number, id).status == 200)
            }
            // The job shall be the other one's.
            await stage.gateways[0].stop()
            let mortal = try await Mortal(stage)
            stage.mock.setScript(.slow(.milliseconds(200), streams: 5))
            let before = stage.mock.counts().pushes
            let answer = try await update(
                stage, id, 1, at: mortal.gateway, headers: ["Prefer": "respond-async"])
            let location = try #require(answer.headers["location"], "\(answer.text)")
            #expect(await stage.mock.waitFor(pushes: before + 10, timeout: .seconds(60)))
            try await body(stage, id, location, mortal)
        }
    }

    @Test("After a kill the devices that may have got it count as unknown: accepted and unknown cover the ledger")
    func killed() async throws {
        let count = 2000
        try await inUpdate(of: count) { stage, id, location, mortal in
            mortal.kill()
            let other = try await stage.startGateway()
            stage.mock.setScript(MockScript())
            let newer = try await update(stage, id, 2, at: other)
            #expect(newer.accepted == UpdateDoubtTests.synced, "\(newer.text)")
            let older = try await ended(stage, location, at: other)
            let known = try #require(older["accepted"]?.int64.map { Int($0) })
            #expect(older["total"]?.int64 == Int64(count), "\(older.text)")
            #expect(known + older.failed("unknown") >= ledger(stage, 1).count, "\(older.text)")
            let others = older.failed("unknown") + older.skipped("superseded")
            #expect(known + others == UpdateDoubtTests.synced, "\(older.text)")
            try await mortal.bury()
            await other.stop()
        }
    }

    @Test("A gateway that stops in order leaves no doubt: the counts equal the ledger")
    func stopped() async throws {
        // More than are in the pages that are open at a time.
        let count = 12_000
        try await inUpdate(of: count) { stage, id, location, mortal in
            await mortal.gateway.stop()
            stage.mock.setScript(.slow(.milliseconds(500), streams: 5))
            let other = try await stage.startGateway()
            let answer = try await update(stage, id, 2, at: other, headers: ["Prefer": "respond-async"])
            // The rest of the older one takes far longer than the newer one waits.
            let older = try await ended(stage, location, at: other)
            stage.mock.setScript(MockScript())
            let newer = try await ended(stage, try #require(answer.headers["location"]), at: other)
            #expect(newer["accepted"]?.int64 == Int64(UpdateDoubtTests.synced), "\(newer.text)")
            #expect(older["total"]?.int64 == Int64(count), "\(older.text)")
            #expect(older.failed("unknown") == 0, "\(older.text)")
            #expect(older["accepted"]?.int64 == Int64(ledger(stage, 1).count), "\(older.text)")
            #expect(older.skipped("superseded") > 0, "\(older.text)")
            await other.stop()
        }
    }
}
