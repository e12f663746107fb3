import BroadcastCore
import Broadcasts
import Foundation
import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import PushClient
import RedisClient
import ScrapedMetrics
import Secrets
import Testing
import TimeCore

@Suite("The log", .serialized)
struct LogTests {
    private static let content = """
        {"title":"Zebra-title-4711","message":"Zebra-message-4712","content_state":{"zebra_key":"Zebra-state-4713"},
         "attributes":{"zebra":"Zebra-attribute-4714"}}
        """

    /// Sends valid and invalid calls of all kinds, with texts that occur nowhere else.
    private func play(_ stage: TestStage) async throws {
        try await stage.addDevices(1005)
        let id = try await stage.register(1000)
        var script = MockScript()
        script.rules = [
            MockRule(
                .init(tokens: [TestStage.hex(TestStage.startToken(0))]),
                .answer(status: 410, reason: "Unregistered", timestamp: 0)),
            MockRule(.init(tokens: [TestStage.hex(TestStage.startToken(1))]), .silence),
            MockRule(.init(tokens: [TestStage.hex(TestStage.startToken(2))]), .reset(code: 7), limit: 1),
        ]
        script.goAway = .init(afterStreams: 300, lastStream: .minus(5), limit: 1)
        stage.mock.setScript(script)
        let headers = ["X-Request-Id": "request-of-the-start"]
        _ = try await stage.call("start", TestStage.body(id, content: Self.content), headers: headers)
        stage.mock.setScript(MockScript())
        for number in 3..<12 { _ = try await stage.sync(number, id) }
        _ = try await stage.call("update", TestStage.body(id, content: Self.content))
        _ = try await stage.call("end", TestStage.body(id, content: Self.content))
        // A late report, which the gateway answers with an end at once.
        _ = try await stage.sync(20, id)

        // Refusals of all kinds, with marked texts in all places.
        _ = try await stage.call("start", TestStage.body(id, content: Self.content))
        _ = try await stage.call("start", #"{"activity_id":"Zebra-id","title":Zebra-broken}"#)
        _ = try await stage.call("register", #"{"activity_type":"Zebra-type","insider_ids":"Zebra-insider"}"#)
        let wrong = ["X-Api-Key": "Zebra-api-key", "X-Sdk-Key": "Zebra-sdk-key"]
        _ = try await stage.send("GET", "/api/v1/live-activity/\(id)/devices?cursor=Zebra-cursor", nil, headers: wrong)
        _ = try await stage.call("start", TestStage.body(id), headers: wrong)
        _ = try await stage.send("GET", "/Zebra-path?Zebra-query=1", nil, headers: wrong)
        _ = try await stage.report("POST", "sync", "{}", headers: wrong)
        _ = try await stage.report(
            "POST", "sync", TestStage.syncBody(5, #""activity_id":"\#(id)""#),
            headers: ["X-Identity-Signature": "Zebra-signature"])
        _ = try await stage.report("PUT", "device", #"{"insider_id":"Zebra-user","udid":7}"#)

        // A valid signature, one of version 1, and an expired one.
        let device = TestStage.key(6)
        let body = TestStage.syncBody(6, #""activity_id":"\#(id)""#)
        for headers in [
            stage.signed(device), IdentitySigner.one(device.insiderID, stage.identitySecret),
            IdentitySigner.two(device, until: 1, stage.identitySecret),
        ] { _ = try await stage.report("POST", "sync", body, headers: headers) }

        // A broadcast with only rejected pushes.
        let other = try await stage.register(10)
        stage.mock.setScript(.always(.answer(status: 400, reason: "BadPriority")))
        _ = try await stage.call("start", TestStage.body(other, content: Self.content))
        _ = try await stage.metrics()
    }

    /// Checks that Redis holds only hashes of keys, and no whole hash of an identity secret.
    private func checkStored(_ stored: [[UInt8]], keys: [String], signing: [String], sealed: [String]) {
        let texts = stored.map { String(decoding: $0, as: UTF8.self).lowercased() }
        func count(_ text: some StringProtocol) -> Int { texts.count { $0.contains(text.lowercased()) } }
        #expect(texts.count > 500 && keys.count == 2 && signing.count == 2 && sealed.count > 2)
        for key in keys {
            #expect(count(key.dropFirst(4).prefix(16)) == 0)
            #expect(count(TestStage.hex(Secret.hash(key))) > 0)
        }
        for secret in signing {
            let hash = Secret.hash(secret)
            #expect(count(secret.dropFirst(4).prefix(16)) == 0)
            // Redis has the first twelve digits of the hash as a name for people. The sealed bytes follow, and may
            // continue with the next two digits by chance, once in 256 runs.
            #expect(count(TestStage.hex(hash).prefix(12)) > 0 && count(TestStage.hex(hash).prefix(20)) == 0)
            #expect(count(TestStage.hex(hash).suffix(14)) == 0)
            #expect(!stored.contains { $0.contains(hash.prefix(16)) || $0.contains(hash.suffix(16)) })
        }
        for secret in sealed {
            #expect(count(secret.drop { $0 != "_" }.dropFirst().prefix(20)) == 0 || !secret.contains("_"))
            #expect(count(secret) == 0)
        }
    }

    @Test(
        "At level trace every line is JSON without tokens, keys, secrets and content; Redis has no key that signs"
    )
    func noSecrets() async throws {
        let log = CapturedLog()
        let errors = try CapturedErrors()
        let secrets: [String]
        var (stored, keys, signing, sealed): ([[UInt8]], [String], [String], [String]) = ([], [], [], [])
        do {
            defer { errors.restore() }
            secrets = try await TestStage.returning(
                configure: { $0.push.pushDeadline = .seconds(2) }, logger: log.logger(.trace)
            ) { stage in
                try await play(stage)
                let tenant = stage.tenant
                let rotation = try await stage.store.tenants.rotate(
                    .identity, of: tenant.tenantID, overlap: .seconds(600))
                guard case .rotated(let fresh, _) = rotation else { return [] }
                let webhook = try await stage.send(
                    "POST", "/api/v1/webhooks", #"{"url":"https://hooks.example.com/"}"#,
                    headers: ["X-Api-Key": tenant.apiKey, "Content-Type": "application/json"])
                let webhookSecret = try #require(webhook["secret"]?.string, "\(webhook.text)")
                stored = try await stage.storedTexts()
                keys = [tenant.apiKey, tenant.sdkKey]
                signing = [stage.identitySecret, fresh]
                let tokens = (0..<30).flatMap { [TestStage.startToken($0), TestStage.updateToken($0)] }
                let key = try String(contentsOfFile: stage.mock.keyFile, encoding: .utf8).split(separator: "\n")
                sealed = [webhookSecret] + key.filter { !$0.hasPrefix("-----") }.map(String.init)
                return [tenant.apiKey, tenant.sdkKey, stage.identitySecret, fresh, webhookSecret, "Zebra", "zebra_key"]
                    + tokens.map(TestStage.hex) + key.filter { !$0.hasPrefix("-----") }.map(String.init)
            }
        }
        let lines = try log.read()
        #expect(lines.count > 50)
        // The list of secrets is not empty, so the search below is meaningful.
        #expect(secrets.count > 60 && secrets.allSatisfy { $0.count > 4 })
        for text in log.lines + [try errors.text()] {
            let folded = text.lowercased()
            for secret in secrets where folded.contains(secret.lowercased()) {
                Issue.record("\(secret.prefix(8))… is in: \(text.prefix(400))")
            }
            // The first characters of every JSON web token, and of every bearer header.
            #expect(!folded.contains("eyj") && !folded.contains("bearer"), "\(text.prefix(400))")
        }
        checkStored(stored, keys: keys, signing: signing, sealed: sealed)
        let messages = Set(lines.map(\.message))
        for message in [
            "request", "broadcast recorded", "job started", "job ended", "broadcast finished", "provider token renewed",
            "provider sent GOAWAY", "nearly all pushes rejected", "stopped",
        ] { #expect(messages.contains(message), "\(message)") }
    }

    @Test("The log lines of a broadcast have its request id on every gateway")
    func requestID() async throws {
        let log = CapturedLog()
        try await TestStage.run(gateways: 2, logger: log.logger(.debug)) { stage in
            try await stage.addDevices(20)
            for number in 0..<6 {
                let id = try await stage.register(20)
                let answer = try await stage.call(
                    "start", TestStage.body(id), headers: ["X-Request-Id": "request-\(number)"], gateway: number % 2)
                #expect(answer.status == 200 && answer.headers["x-request-id"] == "request-\(number)")
                let broadcast = try #require(answer["broadcast_id"]?.string)
                let about = try await log.lines(of: broadcast, until: "broadcast finished")
                #expect(about.map(\.message).contains("broadcast finished"))
                #expect(about.count >= 3)
                #expect(about.allSatisfy { $0.metadata["request_id"] == "request-\(number)" })
                #expect(about.allSatisfy { $0.metadata["activity_id"] == id })
                #expect(about.allSatisfy { $0.metadata["tenant"] == stage.tenant.tenantID })
            }
        }
    }

    @Test("The log line of a takeover has the request id from the lost gateway")
    func takeover() async throws {
        let log = CapturedLog()
        try await TestStage.run(
            logger: log.logger(.info),
            configure: {
                $0.jobs.period = .seconds(1)
                $0.jobs.limits.silence = .seconds(2)
            }
        ) { stage in
            try await stage.addDevices(50)
            var lost: BroadcastOrder?
            for _ in 0..<20 where lost == nil {
                let id = try #require(UniqueID(try await stage.register(50)))
                let record = try #require(try await stage.store.activities.activity(id))
                var draft = TestStage.startDraft()
                draft.origin.requestID = "request-of-the-lost"
                let order = try await stage.store.broadcasts.begin(draft, for: record).get()
                // The stage's gateway also takes jobs, and may be faster.
                guard let job = try await stage.take(order).first else { continue }
                _ = try await stage.store.jobs.open(job, order, owner: "dead")
                #expect(try await stage.note(1, order, owner: "dead") == .written)
                lost = order
            }
            let order = try #require(lost)
            _ = try await stage.ended(order.id)
            let line = try #require(
                try log.read().first { $0.metadata["broadcast_id"] == order.id.description && $0.level == "notice" })
            #expect(line.message == "job taken over")
            #expect(line.metadata["request_id"] == "request-of-the-lost")
            #expect(try await stage.metrics().value("fanfare_jobs_resumed_total") == 1)
        }
    }

    @Test(
        "Customer requests are logged at info with route, status, time, tenant and code; device reports are not")
    func access() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.info)) { stage in
            let id = try await stage.started(2)
            let refused = try await stage.call("start", TestStage.body(id))
            #expect(try await stage.sync(0, id).status == 200)
            let lines = try log.read().filter { $0.message == "request" }
            let routes = lines.compactMap { $0.metadata["route"] }
            #expect(Set(routes) == ["/api/v1/live-activity/register", "/api/v1/live-activity/start"])
            let line = try #require(lines.last)
            #expect(line.level == "info" && line.metadata["status"] == "409" && line.metadata["method"] == "POST")
            #expect(line.metadata["code"] == "ALREADY_STARTED" && line.metadata["tenant"] == stage.tenant.tenantID)
            #expect(line.metadata["request_id"] == refused.headers["x-request-id"])
            #expect((line.metadata["duration_ms"].flatMap(Double.init) ?? -1) >= 0)
            #expect(line.metadata["hb.request.id"] == nil)
        }
    }

    @Test("Device reports are logged at debug with the request id")
    func reports() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.debug)) { stage in
            let id = try await stage.started(1)
            let answer = try await stage.sync(0, id)
            let line = try #require(
                try log.read().last { $0.metadata["route"] == "/api/v1/sdk/sync" })
            #expect(line.level == "debug" && line.metadata["status"] == "200")
            #expect(line.metadata["request_id"] == answer.headers["x-request-id"])
            #expect(line.metadata["hb.request.id"] == nil)
        }
    }

    @Test("Every log line is one JSON object with time, level, label, message and metadata")
    func anything() throws {
        let log = CapturedLog()
        let texts = ["", "\"", "\\", "\n", "\r\n", "\u{0}", "\u{2028}", "ü€🎉", "}{", "time"]
        for text in texts {
            for metadata: Logger.Metadata in [
                [:], ["time": "x", "level": "y", "message": "z"], ["\(text)": "\(text)"],
                ["list": .array(["\(text)", .dictionary(["\(text)": "1"]), .array([])])],
                ["inner": .dictionary(["a": .dictionary(["b": "\(text)"]), "c": .array(["\(text)"])])],
            ] {
                log.logger(.trace).trace("\(text)", metadata: metadata)
            }
        }
        let lines = try log.read()
        #expect(lines.count == texts.count * 5)
        #expect(lines.map(\.message) == texts.flatMap { text in (0..<5).map { _ in text } })
        #expect(lines[1].level == "trace" && lines[1].metadata["message"] == "z")
    }
}

extension TestStage {
    /// `run` with a result.
    fileprivate static func returning<Result: Sendable>(
        configure: (inout GatewayOptions) -> Void, logger: Logger, _ body: (TestStage) async throws -> Result
    ) async throws -> Result {
        var result: Result?
        try await run(logger: logger, configure: configure) { result = try await body($0) }
        return try #require(result)
    }
}

/// The standard error of the process during a test.
private final class CapturedErrors {
    private let path = "/tmp/fanfare-stderr-\(UniqueID.random())"
    private let original: Int32

    init() throws {
        fflush(nil)
        original = dup(2)
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(original >= 0 && file >= 0)
        dup2(file, 2)
        close(file)
    }

    func restore() {
        fflush(nil)
        dup2(original, 2)
        close(original)
    }

    func text() throws -> String {
        defer { unlink(path) }
        return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
