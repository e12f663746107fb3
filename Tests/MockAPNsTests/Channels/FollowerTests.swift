import LiveActivity
import MockAPNs
import TestHTTP2Client
import Testing

@Suite("Devices follow channels")
struct FollowerTests {
    /// A start with further members in `aps`.
    private func start(_ mock: TestMock, _ device: String, _ members: String) throws -> TestRequest {
        let payload = String(decoding: TestRequest.payload("start"), as: UTF8.self)
        return try mock.push(device).with(body: payload.dropLast(2) + ",\(members)}}")
    }

    @Test("A start that is accepted has its device follow the channel that it names")
    func follows() async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel()
        let other = try await mock.createChannel()
        try mock.mock.setScript(
            json: Array(#"{"rules": [{"tokens": ["cc"], "status": 410, "reason": "Unregistered"}]}"#.utf8))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let named = #""input-push-channel":"\#(channel)""#
        for device in ["AA", "bb", "bb", "cc"] { _ = await client.send(try start(mock, device, named)) }
        _ = await client.send(try start(mock, "dd", #""input-push-token":1"#))
        #expect(mock.mock.followers(of: channel) == ["aa", "bb"] && mock.mock.followers(of: other).isEmpty)
        #expect(await client.send(try mock.publish(channel)).status == 200)
        #expect(mock.mock.publishes(to: channel).map(\.followers) == [2])
        #expect(mock.mock.ledgerEntries().last?.followers == 2)
        #expect(mock.mock.ledgerEntries().allSatisfy { !$0.namesUnknownChannel })
        let path = mock.mock.options.directory + "/ledger.ndjson"
        try mock.mock.writeLedger(to: path)
        let last = try #require(try lines(path).last)
        #expect(try JSONDocument(parsing: last).root.member("followers")?.int64 == 2)
    }

    @Test("A start with a channel that there is not is accepted, and noted")
    func unknown() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let request = try start(mock, "aa", #""input-push-channel":"AAAAAAAAAAAAAAAAAAAAAA==""#)
        #expect(await client.send(request).status == 200)
        #expect(mock.mock.ledgerEntries().map(\.namesUnknownChannel) == [true])
        let path = mock.mock.options.directory + "/ledger.ndjson"
        try mock.mock.writeLedger(to: path)
        #expect(try JSONDocument(parsing: lines(path)[0]).root.member("unknown_channel")?.bool == true)
    }

    @Test(
        "A start says at most one way in which its updates come",
        arguments: [
            #""input-push-channel":"AAAAAAAAAAAAAAAAAAAAAA==","input-push-token":1"#, #""input-push-channel":1"#,
            #""input-push-channel":"""#, #""input-push-token":2"#, #""input-push-token":true"#,
        ])
    func bad(_ members: String) async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let result = await client.send(try start(mock, "aa", members))
        #expect(result.status == 400 && result.reason == "BadPayload")
    }

    @Test("The control port tells the channels, their followers and what they were sent last")
    func controlPort() async throws {
        let mock = try TestMock { $0.controlPort = 0 }
        let channel = try await mock.createChannel(storesMessages: true)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        _ = await client.send(try start(mock, "aa", #""input-push-channel":"\#(channel)""#))
        _ = await client.send([try mock.publish(channel), try mock.publish(channel, event: "end")])
        let answer = try ControlClient.ask(mock, "/mock/channels")
        let list = try JSONDocument(parsing: Array(answer.body.utf8)).root.member("channels")
        let told = try #require(list.flatMap { Array($0.elements).first })
        #expect(answer.status == 200)
        #expect(try told.member("id")?.string == channel)
        #expect(try told.member("message_storage_policy")?.int64 == 1 && told.member("followers")?.int64 == 1)
        #expect(try told.member("publishes")?.int64 == 2)
        let last = try #require(try told.member("last_publish"))
        #expect(try last.member("event")?.string == "end" && last.member("timestamp")?.int64 == 1_700_000_000)
        #expect(try ControlClient.ask(mock, "/mock/channels", method: "PUT", body: "{}").head.contains("allow: GET"))
        #expect(try ControlClient.ask(mock, "/mock/channels?x").status == 400)
        #expect(try ControlClient.ask(mock, "/mock/nothing").body.contains("/mock/channels"))
    }

    private func lines(_ path: String) throws -> [[UInt8]] {
        try MockScript.text(ofFile: path).split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }
}
