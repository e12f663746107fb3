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

@Suite("A signing key is replaced, one gateway after the other", .serialized)
struct KeyReplacementTests {
    /// Runs `body` with a gateway of another signing key, and so another provider, beside the stage's.
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

    /// A start of devices 0 up to `count`, recorded under a key that the stage's gateway has not.
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

    @Test("Late ends that one gateway cannot read are sent by the one that can")
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

    @Test("A start that a gateway cannot read waits for one that can, and a former key reads it")
    func formerKey() async throws {
        try await TestStage.run { stage in
            var order: BroadcastOrder?
            var key = ""
            try await withOther(stage) { gateway, provider in
                // It takes no job, and so leaves this one to the stage's.
                var script = MockScript()
                script.connections = .init(.refuse)
                provider.setScript(script)
                key = provider.keyFile
                order = try await foreignStart(stage, gateway, 20, seconds: 600)
            }
            let start = try #require(order)
            try await stage.eventually("nobody has tried it") {
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

    @Test("A start that nobody can read in its time has failed for all its devices")
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

    /// What a gateway is told when its default app has the second of the provider's keys.
    private func withSecondKey(_ stage: TestStage) -> GatewayOptions {
        var options = stage.options
        options.credential = .init(
            keyFile: stage.mock.secondKeyFile, keyIdentifier: stage.mock.secondKeyID,
            teamIdentifier: stage.mock.teamID)
        return options
    }

    @Test("A running gateway takes another key: broadcasts go on, and what waited under the old one is sent")
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
            // It has been carried out; its pushes come.
            try await stage.eventually("the scheduled update has not come") { stage.pushes(.update).count >= 60 }
            #expect(stage.pushes(.update).count == 60)
            #expect(stage.pushes(.update).allSatisfy { $0.answer == .answered(status: 200, reason: nil) })
            let page = try await stage.metrics()
            #expect(page.sum("fanfare_provider_tokens_total", ["key": stage.mock.secondKeyID]) == 2)
            // Said again, nothing is replaced.
            let before = page.sum("fanfare_provider_tokens_total")
            #expect(stage.gateways[0].replaceCredentials(withSecondKey(stage)).apns == ["": .inForce])
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 30)
            #expect(try await stage.metrics().sum("fanfare_provider_tokens_total") == before)
        }
    }

    @Test("Apps that share connections take another key together or not at all, and one that cannot be read is told")
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

    @Test("A former key that cannot be read is named when the gateway starts")
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
