import LiveActivity
import MockAPNs
import TestHTTP2Client
import Testing

@Suite("Channels are managed at a port of their own")
struct ChannelManagementTests {
    private static let stranger = "AAAAAAAAAAAAAAAAAAAAAA=="

    @Test("A channel is created, read, listed and deleted")
    func life() async throws {
        let mock = try TestMock()
        let client = try await mock.manager()
        defer { client.stop() }
        let identifier = "123e4567-e89b-12d3-a456-42665544000a"
        let created = await client.send(try mock.creation(storesMessages: true).with("apns-request-id", identifier))
        #expect(created.status == 201 && created.response?.isHeadersOnly == true)
        #expect(created.response?.headers["apns-request-id"] == identifier)
        let channel = try #require(created.response?.headers["apns-channel-id"])
        #expect(channel.wholeMatch(of: /[A-Za-z0-9+\/]{22}==/) != nil)
        let read = await client.send(try mock.call("GET", channel: channel))
        #expect(read.status == 200)
        #expect(read.response?.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        #expect(read.response?.headers["apns-request-id"]?.count == 36)
        let list = await client.send(try mock.call("GET", "all-channels"))
        #expect(list.status == 200 && list.response?.body == #"{"channels":["\#(channel)"]}"#)
        #expect(mock.mock.channels()[channel]?.storesMessages == true)
        let deleted = await client.send(try mock.call("DELETE", channel: channel))
        #expect(deleted.status == 204 && deleted.response?.isHeadersOnly == true)
        #expect(await client.send(try mock.call("GET", "all-channels")).response?.body == #"{"channels":[]}"#)
        #expect(mock.mock.channels().isEmpty && mock.mock.channel(channel)?.isDeleted == true)
        let counts = mock.mock.counts()
        #expect(counts.channelCalls == [.create: 1, .read: 1, .list: 2, .delete: 1])
        #expect(counts.channelsCreated == 1 && counts.channelsDeleted == 1)
        // They are no pushes.
        #expect(counts.pushes == 0 && counts.pushesToNobody == 0 && counts.connectionsOpened == 0)
        #expect(mock.mock.channelEntries().map { $0.header(":method") } == ["POST", "GET", "GET", "DELETE", "GET"])
        #expect(mock.mock.channelEntries().allSatisfy { $0.event == nil && $0.pushType == nil })
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let method: String
        let status: Int
        let reason: String
        let change: @Sendable (inout TestRequest) -> Void
        var testDescription: String { "\(method) \(status) \(reason)" }

        init(
            _ method: String, _ status: Int, _ reason: String, _ change: @escaping @Sendable (inout TestRequest) -> Void
        ) {
            self.method = method
            self.status = status
            self.reason = reason
            self.change = change
        }
    }

    static let faults: [Fault] = [
        Fault("PUT", 405, "MethodNotAllowed") { _ in },
        Fault("DELETE", 405, "MethodNotAllowed") { $0.path = "/1/apps/com.example.fanfare/all-channels" },
        Fault("POST", 404, "BadPath") { $0.path = "/1/apps/com.example.fanfare/channel" },
        Fault("POST", 404, "BadPath") { $0.path = "/3/device/ab01" },
        Fault("POST", 403, "MissingProviderToken") { $0.set("authorization", nil) },
        Fault("POST", 403, "InvalidProviderToken") { $0.set("authorization", "bearer a.b.c") },
        Fault("POST", 400, "TopicMismatch") { $0.path = "/1/apps/com.example.other/channels" },
        Fault("POST", 400, "BadMessageId") { $0.set("apns-request-id", "17") },
        Fault("POST", 400, "DuplicateHeaders") { $0.headers.append($0.headers[0]) },
        Fault("POST", 400, "PayloadEmpty") { $0.body = [] },
        Fault("POST", 400, "BadPayload") { $0.body = Array("{".utf8) },
        Fault("POST", 400, "BadPayload") { $0.body = Array(#"{"push-type":"LiveActivity"}"#.utf8) },
        Fault("POST", 400, "BadPayload") {
            $0.body = Array(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#.utf8)
        },
        Fault("POST", 400, "MissingPushType") { $0.body = Array(#"{"message-storage-policy":0}"#.utf8) },
        Fault("POST", 400, "InvalidPushType") {
            $0.body = Array(#"{"message-storage-policy":0,"push-type":"liveactivity"}"#.utf8)
        },
        Fault("GET", 400, "MissingChannelId") { $0.set("apns-channel-id", nil) },
        Fault("DELETE", 400, "MissingChannelId") { $0.set("apns-channel-id", nil) },
        Fault("GET", 400, "BadChannelId") { $0.set("apns-channel-id", "no channel") },
        Fault("DELETE", 400, "BadChannelId") { $0.set("apns-channel-id", "AAAA=AAA") },
        Fault("GET", 400, "ChannelNotRegistered") { _ in }, Fault("DELETE", 400, "ChannelNotRegistered") { _ in },
    ]

    @Test("Each fault of a call gets its status and word, and changes nothing", arguments: faults)
    func fault(_ fault: Fault) async throws {
        let mock = try TestMock()
        let client = try await mock.manager()
        defer { client.stop() }
        var request = try mock.call(
            fault.method, channel: fault.method == "POST" ? nil : Self.stranger,
            body: fault.method == "POST" ? #"{"message-storage-policy":0,"push-type":"LiveActivity"}"# : "")
        fault.change(&request)
        let result = await client.send(request)
        #expect(result.status == fault.status && result.reason == fault.reason)
        #expect(result.response?.headers["apns-request-id"]?.count == 36)
        #expect(mock.mock.channels().isEmpty && mock.mock.counts().channelCallsCarriedOut.isEmpty)
    }

    @Test("No more channels are created than there may be, and a deleted one makes room")
    func limit() async throws {
        let mock = try TestMock()
        try mock.mock.setScript(json: Array(#"{"channels": {"limit": 2}}"#.utf8))
        let client = try await mock.manager()
        defer { client.stop() }
        let created = try await [client.send(mock.creation()), client.send(mock.creation())]
        let refused = await client.send(try mock.creation())
        #expect(refused.status == 400 && refused.reason == "CannotCreateChannelConfig")
        let first = try #require(created[0].response?.headers["apns-channel-id"])
        #expect(await client.send(try mock.call("DELETE", channel: first)).status == 204)
        #expect(await client.send(try mock.creation()).status == 201)
        #expect(mock.mock.channels().count == 2)
    }

    @Test("An app without the feature gets nothing of it, at either port")
    func feature() async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel()
        try mock.mock.setScript(json: Array(#"{"channels": {"enabled": false}}"#.utf8))
        let manager = try await mock.manager()
        defer { manager.stop() }
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = try await [
            manager.send(mock.creation()), manager.send(mock.call("GET", "all-channels")),
            client.send(mock.publish(channel)),
        ]
        #expect(results.allSatisfy { $0.status == 400 && $0.reason == "FeatureNotEnabled" })
        #expect(await client.send(try mock.push()).status == 200)
    }
}
