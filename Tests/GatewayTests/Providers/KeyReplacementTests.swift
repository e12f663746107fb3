import APNs
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import ScrapedMetrics
import TLS
import Testing
import TimeCore

@Suite("Replacing a signing key", .serialized)
struct KeyReplacementTests {
    /// Runs `body` with a second gateway that has another signing key and another provider.
    private func withOther(
        _ stage: TestStage, former: [String] = [], _ body: (Gateway, MockAPNs) async throws -> Void
    ) async throws {
        let provider = try MockAPNs.start(MockAPNs.Options(directory: "\(stage.directory)/other-\(UniqueID.random())"))
        defer { provider.stop() }
        var options = stage.options
        options.push.url = provider.url
        options.push.trust = .file(provider.caFile)
        options.credential = .init(
            keyFile: provider.keyFile, keyIdentifier: provider.keyID, teamIdentifier: provider.teamID)
        options.formerKeyFiles = former
        let gateway = try await Gateway.start(options, logger: TestStage.silent)
        do { try await body(gateway, provider) } catch {
            await gateway.stop()
            throw error
        }
        await gateway.stop()
    }

    /// Records a start of devices 0 up to `count` under a key that the stage's gateway lacks.
    private func foreignStart(
        _ stage: TestStage, _ gateway: Gateway, _ count: Int, seconds: Int64
    ) async throws -> BroadcastOrder {
        try await stage.addDevices(count)
        let id = try await stage.register(count)
        let number = try #require(UniqueID(id))
        let record = try #require(try await gateway.store.activities.activity(number))
        var draft = TestStage.startDraft()
        draft.expiration = gateway.store.wallClock().seconds + seconds
        return try await gateway.store.broadcasts.begin(draft, for: record).get()
    }

    @Test("A gateway that can decrypt late ends sends them for a gateway that cannot")
    func lateEnds() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(10)
            #expect(try await stage.sync(0, id).status == 200)
            let end = TestStage.body(id, more: #""options":{"force":true}"#)
            #expect(try await stage.call("end", end).accepted == 1)
            try await withOther(stage) { other, _ in
                for number in 1..<10 {
                    let report = TestStage.syncBody(number, #""activity_id":"\#(id)""#)
                    let answer = try await stage.send(
                        "POST", "/api/v1/sdk/sync", report,
                        headers: ["X-Sdk-Key": stage.tenant.sdkKey, "Content-Type": "application/json"],
                        port: other.port)
                    #expect(answer.status == 200, "\(answer.text)")
                }
                try await stage.eventually("not all Live Activities are ended") {
                    Set(stage.pushes(.end).map(\.token)).count == 10
                }
            }
        }
    }

    @Test("A start waits for a gateway that can decrypt it, if need be with a former key")
    func formerKey() async throws {
        try await TestStage.run { stage in
            var order: BroadcastOrder?
            var key = ""
            try await withOther(stage) { gateway, provider in
                // A gateway without connections takes no job, so the stage's gateway takes this one.
                var script = MockScript()
                script.connections = .init(.refuse)
                provider.setScript(script)
                key = provider.keyFile
                order = try await foreignStart(stage, gateway, 20, seconds: 600)
            }
            let start = try #require(order)
            try await stage.eventually("no gateway has tried it") {
                try await stage.metrics().value("fanfare_jobs_handed_over_total") ?? 0 >= 1
            }
            let state = try await stage.read("/api/v1/live-activity/broadcasts/\(start.id)")
            #expect(["queued", "running"].contains(state["state"]?.string ?? ""), "\(state.text)")
            try await withOther(stage, former: [key]) { _, provider in
                let ended = try await stage.ended(start.id)
                #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == 20, "\(ended.text)")
                #expect(provider.counts().pushes == 20)
            }
        }
    }

    @Test("A start that no gateway can decrypt in time fails for all its devices")
    func nobody() async throws {
        try await TestStage.run { stage in
            var order: BroadcastOrder?
            try await withOther(stage) { gateway, provider in
                var script = MockScript()
                script.connections = .init(.refuse)
                provider.setScript(script)
                order = try await foreignStart(stage, gateway, 20, seconds: 4)
            }
            let start = try #require(order)
            let ended = try await stage.ended(start.id)
            #expect(ended["state"]?.string == "failed" && ended.failed("ContentUnreadable") == 20, "\(ended.text)")
        }
    }

    /// The options of a gateway whose default app has the provider's second key.
    private func withSecondKey(_ stage: TestStage) -> GatewayOptions {
        var options = stage.options
        options.credential = .init(
            keyFile: stage.mock.secondKeyFile, keyIdentifier: stage.mock.secondKeyID,
            teamIdentifier: stage.mock.teamID)
        return options
    }

    @Test("After a reload with a new key, broadcasts continue and waiting schedules are sent")
    func whileRunning() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(30)
            try await stage.syncAll(0..<30, id)
            let schedule = try await stage.schedule(id, #""offset":60"#)
            let reload = stage.gateways[0].replaceCredentials(withSecondKey(stage))
            #expect(reload.apns == ["": .inForce] && reload.fcm.isEmpty)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 30)
            clock.advance(seconds: 61)
            _ = try await stage.ended(schedule: schedule, of: id)
            // The schedule has ended; its pushes follow.
            try await stage.eventually("the scheduled update has not come") { stage.pushes(.update).count >= 60 }
            #expect(stage.pushes(.update).count == 60)
            #expect(stage.pushes(.update).allSatisfy { $0.answer == .answered(status: 200, reason: nil) })
            let page = try await stage.metrics()
            #expect(page.sum("fanfare_provider_tokens_total", ["key": stage.mock.secondKeyID]) == 2)
            // A second replacement by the same key changes nothing.
            let before = page.sum("fanfare_provider_tokens_total")
            #expect(stage.gateways[0].replaceCredentials(withSecondKey(stage)).apns == ["": .inForce])
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 30)
            #expect(try await stage.metrics().sum("fanfare_provider_tokens_total") == before)
        }
    }

    @Test("Apps that share connections change keys together; an unreadable key is reported")
    func sharedConnections() async throws {
        func other(_ options: GatewayOptions) -> GatewayOptions.FurtherApp {
            var app = GatewayOptions.FurtherApp(
                tenantIDs: ["other"], push: options.push, credential: options.credential,
                bundleIdentifier: "com.example.other")
            app.name = "other"
            return app
        }
        try await TestStage.run(configure: { $0.furtherApps = [other($0)] }) { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<3, id)
            var options = withSecondKey(stage)
            #expect(stage.gateways[0].replaceCredentials(options).apns == ["": .waits, "other": .waits])
            options.furtherApps = [other(options)]
            #expect(stage.gateways[0].replaceCredentials(options).apns == ["": .inForce, "other": .inForce])
            options.credential = .init(
                keyFile: "/no/such/key.p8", keyIdentifier: stage.mock.keyID, teamIdentifier: stage.mock.teamID)
            options.furtherApps = [other(options)]
            let reload = stage.gateways[0].replaceCredentials(options)
            guard case .unusable(let reason) = reload.apns["other"] else {
                Issue.record("\(reload.apns)")
                return
            }
            #expect(reason.contains("/no/such/key.p8"))
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 3)
        }
    }

    @Test("A gateway with an unreadable former key fails to start and names the file")
    func checked() async throws {
        try await TestStage.run { stage in
            var options = stage.options
            options.formerKeyFiles = ["/no/such/key.p8"]
            await #expect {
                let gateway = try await Gateway.start(options, logger: TestStage.silent)
                await gateway.stop()
            } throws: {
                "\($0)".contains("/no/such/key.p8")
            }
        }
    }
}
