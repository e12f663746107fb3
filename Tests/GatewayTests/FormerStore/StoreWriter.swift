import Foundation
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing
import TimeCore

/// Brings a store into the states that a gateway may leave behind, over HTTP alone, and writes down what it holds.
enum StoreWriter {
    /// The devices of each activity.
    static let registered = 0..<3
    static let running = 3..<7
    static let halfSent = 7..<19
    static let scheduled = 19..<21
    static let healing = 21..<23
    static let listed = 23..<27
    static let ended = 27..<30
    private static let devices = 30
    /// Of the start that is half sent, whom the provider has not answered.
    static let unanswered = 15..<19
    /// Of the listed ones, whom the update is for; the provider has not answered the first.
    static let updated = [24, 25]
    /// Of the ended ones, who has not said that its Live Activity is there, and whose end the provider has not
    /// answered.
    static let silent = 28
    static let endedLate = 29

    /// - Parameter version: what wrote it.
    static func write(version: String) async throws -> String {
        var text = ""
        try await TestStage.run { stage in
            var head = try await fill(stage)
            let time = try #require(try await stage.redis(RedisCommand("TIME")).array?.first?.string)
            let key = try String(contentsOfFile: stage.mock.keyFile, encoding: .utf8)
                .split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
            let tenant = stage.tenant
            head =
                [
                    ("written by", version), ("written at", time), ("tenant", tenant.tenantID),
                    ("api key", tenant.apiKey),
                    ("sdk key", tenant.sdkKey), ("identity secret", stage.identitySecret), ("signing key", key),
                ] + head
            text = FormerStore.text(head, try await snapshot(stage))
        }
        return text
    }

    // MARK: What it holds

    private static func fill(_ stage: TestStage) async throws -> [(name: String, value: String)] {
        try await stage.addDevices(devices)
        #expect(try await stage.segment("PUT", "vip", TestStage.csv(Self.registered)).status == 200)
        let registered = try await register(Self.registered, stage)
        let (running, firstStart) = try await started(Self.running, synced: Self.running.dropLast(), stage)
        let (scheduled, _) = try await started(Self.scheduled, synced: Self.scheduled, stage)
        let (listed, _) = try await started(Self.listed, synced: Self.listed, stage)
        let (ended, _) = try await started(Self.ended, synced: Self.ended.prefix(1), stage)
        let end = try await stage.call("end", TestStage.body(ended, content: nil, more: #""options":{"force":true}"#))
        try #require(end.accepted == 1, "\(end.text)")
        let schedule = try await stage.schedule(
            scheduled, #""offset":\#(FormerStore.silence)"#, content: #"{"content_state":{"n": 1.0}}"#,
            more: #""name":"half-time""#)
        let (healing, _) = try await started(
            Self.healing, synced: Self.healing, options: #"{"heal":"dead_token"}"#, stage)
        let half = try await register(halfSent, stage)
        // From here on some pushes have no answer, as when a gateway is killed before it comes.
        stage.mock.setScript(silentScript())
        let update = try await stage.call("update", TestStage.body(healing, content: #"{"content_state":{"n": 2.0}}"#))
        try #require(update.failed("Unregistered") == 1, "\(update.text)")
        let list = #""target_devices":[\#(TestStage.targets(updated))]"#
        let toList = try await begin("update", TestStage.body(listed, more: list), stage)
        #expect(try await stage.sync(endedLate, ended).status == 200)
        let halfStart = try await begin("start", TestStage.body(half), stage)
        try await stage.eventually("what is to be unanswered is not under way") {
            let silent = stage.mock.ledgerEntries().filter { $0.answer == .none }
            guard silent.count == unanswered.count + 2 else { return false }
            return try await stage.statuses(half) == [DeliveryStatus.registered: 4, DeliveryStatus.startAccepted: 8]
        }
        return [
            ("registered activity", registered), ("running activity", running), ("start of it", firstStart),
            ("scheduled activity", scheduled), ("schedule", schedule), ("listed activity", listed),
            ("update of some", toList), ("ended activity", ended), ("healing activity", healing),
            ("half started activity", half), ("half sent start", halfStart),
        ]
    }

    private static func silentScript() -> MockScript {
        let starts = Set(unanswered.map { TestStage.hex(TestStage.startToken($0)) })
        let dead = TestStage.hex(TestStage.updateToken(healing.lowerBound))
        var script = MockScript()
        script.rules = [
            MockRule(.init(tokens: starts, event: .start), .silence),
            MockRule(.init(tokens: [TestStage.hex(TestStage.updateToken(updated[0]))], event: .update), .silence),
            MockRule(.init(tokens: [TestStage.hex(TestStage.updateToken(endedLate))], event: .end), .silence),
            MockRule(
                .init(tokens: [dead]),
                .answer(status: 410, reason: "Unregistered", timestamp: WallTime.now().milliseconds + 60_000)),
        ]
        return script
    }

    private static func register(_ range: Range<Int>, options: String = "{}", _ stage: TestStage) async throws -> String
    {
        let body = """
            {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(range))],
             "ends_at":"\(stage.endsAt())","options":\(options)}
            """
        let answer = try await stage.call("register", body)
        return try #require(answer["activity_id"]?.string, "\(answer.text)")
    }

    /// A started activity, and its start.
    private static func started(
        _ range: Range<Int>, synced: Range<Int>, options: String = "{}", _ stage: TestStage
    ) async throws -> (activity: String, start: String) {
        let id = try await register(range, options: options, stage)
        let start = try await begin("start", TestStage.body(id), stage)
        let answer = try await stage.ended(try #require(UniqueID(start)))
        try #require(answer["accepted"]?.int64 == Int64(range.count), "\(answer.text)")
        try await stage.syncAll(synced, id)
        return (id, start)
    }

    /// Has a broadcast recorded, and gives its id.
    private static func begin(_ endpoint: String, _ body: String, _ stage: TestStage) async throws -> String {
        let answer = try await stage.call(endpoint, body, headers: ["Prefer": "respond-async"])
        return try #require(answer["broadcast_id"]?.string, "\(answer.text)")
    }

    // MARK: Writing it down

    /// What the store holds at one moment, as an append-only file says it, sorted by keys. What is of the provider's or
    /// of a minute is left out.
    private static func snapshot(_ stage: TestStage) async throws -> [StoreText.Command] {
        for (name, value) in [("aof-use-rdb-preamble", "no"), ("appendonly", "yes")] {
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", name, value))
        }
        try await stage.eventually("the append-only file is not written") {
            let facts = try await stage.redis(RedisCommand("INFO", "persistence")).string ?? ""
            return ["aof_rewrite_in_progress:0", "aof_rewrite_scheduled:0", "aof_last_bgrewrite_status:ok"]
                .allSatisfy(facts.contains)
        }
        let folder = "\(stage.directory)/redis/appendonlydir"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".base.aof") }
        let file = try Data(contentsOf: URL(filePath: "\(folder)/\(try #require(names.first))"))
        let commands = try StoreText.commands(ofFile: Array(file)).map { (key: key(of: $0), command: $0) }
        return commands.enumerated().filter { isKept($1.key) }
            .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(\.element.command)
    }

    private static func key(of command: StoreText.Command) -> String {
        let words = command.map { String(decoding: $0, as: UTF8.self) }
        return words.count > 2 && words[0] == "XGROUP" ? words[2] : words.count > 2 ? words[1] : ""
    }

    private static func isKept(_ key: String) -> Bool {
        !key.isEmpty && !key.hasPrefix("fanfare:{p:") && !key.hasPrefix("fanfare:{commit}") && !key.hasSuffix(":rate")
    }
}
