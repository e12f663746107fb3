import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Large and small broadcasts beside each other", .serialized)
struct FairnessTests {
    /// Limits the provider to 100 open streams on a connection.
    /// - Parameter latency: the time to each answer; nil for none.
    private func limit(_ stage: TestStage, latency: TimeInterval? = nil) {
        var script = MockScript()
        if let latency { script.latency = .fixed(latency) }
        script.streamLimit = .init(usual: 100)
        stage.mock.setScript(script)
    }

    @Test("A large start holds up neither a small one nor an end; a large update no start")
    func lanes() async throws {
        try await TestStage.run(configure: { $0.push.maximumConnections = 1 }) { stage in
            limit(stage)
            let updated = try await stage.started(2100)
            try await stage.syncAll(0..<2100, updated)
            let small = try await stage.register(10)
            let ended = try await stage.register(20)
            #expect(try await stage.call("start", TestStage.body(ended)).accepted == 20)
            try await stage.syncAll(0..<20, ended)
            let large = try await stage.register(2100)
            limit(stage, latency: .milliseconds(400))
            let update = try await stage.call(
                "update", TestStage.body(updated), headers: ["Prefer": "respond-async"])
            #expect(update.status == 202)
            let start = try await stage.call("start", TestStage.body(large), headers: ["Prefer": "respond-async"])
            #expect(start.status == 202)
            let before = stage.mock.counts().pushes
            #expect(try await stage.call("start", TestStage.body(small)).accepted == 10)
            #expect(try await stage.call("end", TestStage.body(ended)).accepted == 20)
            // Together they have had to wait for far less than what the large ones have to send.
            #expect(stage.mock.counts().pushes - before < 1000)
            for answer in [update, start] {
                let location = try #require(answer.headers["location"])
                #expect(try await stage.read(location)["state"]?.string != "done")
            }
            let startID = try #require(start.broadcastID)
            let updateID = try #require(update.broadcastID)
            #expect(try await stage.ended(startID)["accepted"]?.int64 == 2100)
            stage.mock.setScript(MockScript())
            #expect(try await stage.ended(updateID)["accepted"]?.int64 == 2100)
            // Before the update is over the start has had its share, though the update was first.
            let events = stage.mock.ledgerEntries().dropFirst(before).map(\.event)
            let last = try #require(events.lastIndex(of: .update))
            let shared = events[..<last].filter { $0 == .start }.count
            #expect(shared > 500, "\(shared)")
        }
    }

    @Test("Updates that many devices of one activity have missed hold up no small start")
    func catchUps() async throws {
        try await TestStage.run(configure: { $0.push.maximumConnections = 1 }) { stage in
            let busy = try await stage.started(1200, options: #"{"catch_up":true}"#)
            #expect(try await stage.sync(0, busy).status == 200)
            #expect(try await stage.call("update", TestStage.body(busy)).accepted == 1)
            let small = try await stage.register(10)
            // Long against the stalls of a busy machine: a hundred pushes in each three seconds.
            limit(stage, latency: .seconds(3))
            try await stage.syncAll(1..<1200, busy)
            let before = stage.mock.counts().pushes
            #expect(try await stage.call("start", TestStage.body(small)).accepted == 10)
            // Only the updates that had been taken already are sent before it.
            #expect(stage.mock.counts().pushes - before < 500)
            stage.mock.setScript(MockScript())
            try await stage.eventually { stage.pushes(.update).count == 1200 }
        }
    }

    @Test("Beyond the configured number of broadcasts a call is refused, also those that another gateway has taken")
    func overload() async throws {
        try await TestStage.run(
            gateways: 2,
            configure: {
                $0.push.maximumConnections = 1
                // One of them is kept for other tenants.
                $0.api.maximumBroadcasts = 3
            }
        ) { stage in
            try await stage.addDevices(1000)
            var ids: [String] = []
            for _ in 0..<12 { ids.append(try await stage.register(1000)) }
            limit(stage, latency: .milliseconds(400))
            let async = ["Prefer": "respond-async"]
            for id in ids[..<2] {
                #expect(try await stage.call("start", TestStage.body(id), headers: async).status == 202)
            }
            // Each gateway counts its own broadcasts at once, and those of the other within a moment.
            var answers: [TestStage.Answer] = []
            for id in ids[2...] {
                answers.append(try await stage.call("start", TestStage.body(id), headers: async, gateway: 1))
            }
            #expect(answers.count { $0.status == 202 } <= 2)
            let refused = try #require(answers.firstIndex { $0.status == 503 && $0.code == "OVERLOADED" })
            // Another tenant, which has none, begins one.
            let started = try await Neighbor(stage).start()
            #expect(started.status == 202, "\(started.text)")
            stage.mock.setScript(MockScript())
            let end = MonotonicTime.now() + .seconds(60)
            var retried = answers[refused]
            while retried.code == "OVERLOADED", MonotonicTime.now() < end {
                retried = try await stage.call("start", TestStage.body(ids[2 + refused]), gateway: 1)
            }
            #expect(retried.accepted == 1000, "\(retried.text)")
        }
    }
}
