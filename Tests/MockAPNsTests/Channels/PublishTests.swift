import LiveActivity
import MockAPNs
import TestHTTP2Client
import Testing

@Suite("Pushes to channels")
struct PublishTests {
    @Test("A push to a channel is accepted and kept, with the identifiers that it is known by")
    func accepted() async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel(storesMessages: true)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let identifier = "123e4567-e89b-12d3-a456-42665544000a"
        let update = try mock.publish(channel).with("apns-request-id", identifier)
            .with("apns-expiration", "4102444800").with("apns-priority", "5")
        let first = await client.send(update)
        #expect(first.status == 200 && first.response?.isHeadersOnly == true)
        #expect(first.response?.headers["apns-request-id"] == identifier)
        #expect(first.response?.headers["apns-unique-id"]?.count == 36)
        #expect(first.response?.headers["apns-id"] == nil)
        let second = await client.send(try mock.publish(channel, event: "end").with("apns-topic", nil))
        #expect(second.status == 200 && second.response?.headers["apns-request-id"]?.count == 36)
        let publishes = mock.mock.publishes(to: channel)
        #expect(publishes.map(\.event) == [.update, .end] && publishes.map(\.priority) == [5, 10])
        #expect(publishes.map(\.expiration) == [4_102_444_800, 0] && publishes[0].payload == update.body)
        #expect(publishes[0].timestamp == 1_700_000_000)
        #expect(mock.mock.channel(channel)?.publishCount == 2)
        #expect(mock.mock.channel(channel)?.lastPublish == publishes[1])
        let counts = mock.mock.counts()
        #expect(counts.pushes == 2 && counts.publishes == 2 && counts.accepted == 2)
        #expect(counts.publishesByEvent == [.update: 1, .end: 1] && counts.pushesByEvent.isEmpty)
        #expect(mock.mock.occurrences().isEmpty)
        let entries = mock.mock.ledgerEntries()
        #expect(entries.map(\.isPublish) == [true, true] && entries.map(\.followers) == [0, 0])
        #expect(entries[0].header("apns-channel-id") == channel && entries[0].pushType == .liveActivity)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let status: Int
        let reason: String
        let change: @Sendable (inout TestRequest) -> Void
        var testDescription: String { "\(status) \(reason)" }

        init(_ status: Int, _ reason: String, _ change: @escaping @Sendable (inout TestRequest) -> Void) {
            self.status = status
            self.reason = reason
            self.change = change
        }
    }

    static let faults: [Fault] = [
        Fault(405, "MethodNotAllowed") { $0.method = "PUT" },
        Fault(404, "BadPath") { $0.path = "/4/broadcasts/apps/" },
        Fault(404, "BadPath") { $0.path += "/channels" },
        Fault(403, "MissingProviderToken") { $0.set("authorization", nil) },
        Fault(403, "InvalidProviderToken") { $0.set("authorization", "bearer a.b.c") },
        Fault(400, "TopicMismatch") { $0.path = "/4/broadcasts/apps/com.example.other" },
        Fault(400, "TopicMismatch") { $0.set("apns-topic", "com.example.other") },
        Fault(400, "TopicMismatch") { $0.set("apns-topic", "com.example.fanfare.push-type.liveactivity") },
        Fault(400, "MissingChannelId") { $0.set("apns-channel-id", nil) },
        Fault(400, "BadChannelId") { $0.set("apns-channel-id", "no channel") },
        Fault(400, "ChannelNotRegistered") { $0.set("apns-channel-id", "AAAAAAAAAAAAAAAAAAAAAA==") },
        Fault(400, "MissingPushType") { $0.set("apns-push-type", nil) },
        Fault(400, "InvalidPushType") { $0.set("apns-push-type", "alert") },
        Fault(400, "BadPriority") { $0.set("apns-priority", "1") },
        Fault(400, "BadExpirationDate") { $0.set("apns-expiration", nil) },
        Fault(400, "BadExpirationDate") { $0.set("apns-expiration", "tomorrow") },
        // This one's channel keeps nothing.
        Fault(400, "BadExpirationDate") { $0.set("apns-expiration", "4102444800") },
        Fault(400, "PayloadEmpty") { $0.body = [] },
        Fault(400, "BadPayload") { $0.body = TestRequest.payload("start") },
        Fault(400, "BadPayload") { $0.body = Array("{}".utf8) },
        Fault(413, "PayloadTooLarge") {
            $0.body = TestRequest.payload("update", note: String(repeating: "x", count: 5_120))
        },
    ]

    @Test("Each fault of a push to a channel gets its status and word, and reaches nobody", arguments: faults)
    func fault(_ fault: Fault) async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        var request = try mock.publish(channel)
        fault.change(&request)
        let result = await client.send(request)
        #expect(result.status == fault.status && result.reason == fault.reason)
        #expect(mock.mock.counts().answersByReason == [fault.reason: 1])
        #expect(mock.mock.publishes(to: channel).isEmpty && mock.mock.channel(channel)?.publishCount == 0)
    }

    @Test("A push to a channel may have 5,120 bytes, one to a device 4,096")
    func length() async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let note = String(repeating: "x", count: 5_120 - TestRequest.payload("update", note: "").count)
        #expect(await client.send(try mock.publish(channel, note: note)).status == 200)
        var push = try mock.push()
        push.body = TestRequest.payload("update", note: note)
        #expect(await client.send(push).status == 413)
    }

    @Test("A channel takes a few pushes at once and then one a second, each for itself")
    func pace() async throws {
        let mock = try TestMock()
        let channels = [try await mock.createChannel(), try await mock.createChannel()]
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        try mock.mock.setScript(json: Array(#"{"channels": {"publish_interval_ms": 1e8}}"#.utf8))
        let results = await client.send(try (0..<5).map { _ in try mock.publish(channels[0]) })
        #expect(results.map(\.status) == [200, 200, 200, 429, 429])
        #expect(results.last?.reason == "TooManyRequests")
        #expect(await client.send(try mock.publish(channels[1])).status == 200)
        try mock.mock.setScript(json: Array(#"{"channels": {"publish_interval_ms": 0}}"#.utf8))
        #expect(await client.send(try mock.publish(channels[0])).status == 200)
        #expect(mock.mock.publishes(to: channels[0]).count == 4)
    }

    @Test("A channel that has been deleted takes no push more, and what it took is still known")
    func deleted() async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.send(try mock.publish(channel)).status == 200)
        #expect(mock.mock.removeChannel(channel) && !mock.mock.removeChannel(channel))
        let refused = await client.send(try mock.publish(channel))
        #expect(refused.status == 400 && refused.reason == "ChannelNotRegistered")
        #expect(mock.mock.publishes(to: channel).count == 1 && mock.mock.counts().channelsDeleted == 0)
    }
}
