import MockAPNs
import TestHTTP2Client
import Testing

@Suite("What the mock checks of a push")
struct CheckTests {
    @Test("A good push is accepted and its identifier is echoed")
    func goodPush() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let identifier = "123e4567-e89b-12d3-a456-42665544000a"
        for event in ["start", "update", "end"] {
            let result = await client.send(try mock.push(event: event).with("apns-id", identifier))
            #expect(result.status == 200)
            #expect(result.response?.headers["apns-id"] == identifier)
            #expect(result.response?.isHeadersOnly == true)
        }
        #expect(mock.mock.counts().pushesByEvent == [.start: 1, .update: 1, .end: 1])
        #expect(mock.mock.counts().accepted == 3)
    }

    @Test("A push without an identifier gets a fresh one")
    func madeIdentifier() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send([try mock.push(), try mock.push()])
        let identifiers = Set(results.compactMap { $0.response?.headers["apns-id"] })
        #expect(identifiers.count == 2)
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        for identifier in identifiers {
            #expect(identifier.wholeMatch(of: form) != nil)
        }
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
        Fault(404, "BadPath") { $0.path = "/4/device/ab01" },
        Fault(404, "BadPath") { $0.path = "/3/device/ab01/cd" },
        Fault(400, "MissingDeviceToken") { $0.path = "/3/device/" },
        Fault(400, "MissingDeviceToken") { $0.path = "/3/device" },
        Fault(400, "BadDeviceToken") { $0.path = "/3/device/abc" },
        Fault(400, "BadDeviceToken") { $0.path = "/3/device/zz" },
        Fault(400, "BadDeviceToken") { $0.path = "/3/device/" + String(repeating: "ab", count: 201) },
        Fault(400, "DuplicateHeaders") { $0.headers.append(("apns-priority", "10")) },
        Fault(403, "MissingProviderToken") { $0.set("authorization", nil) },
        Fault(403, "InvalidProviderToken") { $0.set("authorization", "bearer a.b.c") },
        Fault(400, "InvalidPushType") { $0.set("apns-push-type", nil) },
        Fault(400, "InvalidPushType") { $0.set("apns-push-type", "voip") },
        Fault(400, "MissingTopic") { $0.set("apns-topic", nil) },
        Fault(400, "MissingTopic") { $0.set("apns-topic", "") },
        Fault(400, "BadTopic") { $0.set("apns-topic", "com.example.fanfare") },
        Fault(400, "DeviceTokenNotForTopic") { $0.set("apns-topic", "com.other.app.push-type.liveactivity") },
        Fault(400, "BadPriority") { $0.set("apns-priority", "7") },
        Fault(400, "BadPriority") { $0.set("apns-priority", "1") },
        Fault(400, "BadPriority") { $0.set("apns-priority", "010") },
        Fault(400, "BadExpirationDate") { $0.set("apns-expiration", "-1") },
        Fault(400, "BadExpirationDate") { $0.set("apns-expiration", "tomorrow") },
        Fault(400, "BadMessageId") { $0.set("apns-id", "123E4567-E89B-12D3-A456-42665544000A") },
        Fault(400, "BadMessageId") { $0.set("apns-id", "17") },
        Fault(400, "BadCollapseId") { $0.set("apns-collapse-id", String(repeating: "c", count: 65)) },
        Fault(400, "PayloadEmpty") { $0.body = [] },
        Fault(413, "PayloadTooLarge") {
            $0.body = TestRequest.payload("update", note: String(repeating: "x", count: 4_096))
        },
    ]

    @Test("Each fault gets Apple's status and word", arguments: faults)
    func fault(_ fault: Fault) async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        var request = try mock.push()
        fault.change(&request)
        let result = await client.send(request)
        #expect(result.status == fault.status)
        #expect(result.reason == fault.reason)
        #expect(result.response?.headers["apns-id"]?.count == 36)
        #expect(mock.mock.counts().answersByReason == [fault.reason: 1])
    }

    @Test("Values at the edge of what is allowed are accepted")
    func edges() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let overhead = TestRequest.payload("update", note: "").count
        var largest = try mock.push()
        largest.body = TestRequest.payload("update", note: String(repeating: "x", count: 4_096 - overhead))
        var longest = try mock.push()
        longest.path = "/3/device/" + String(repeating: "Ab", count: 200)
        let results = await client.send([
            largest, longest, try mock.push().with("apns-collapse-id", String(repeating: "c", count: 64)),
            try mock.push().with("apns-priority", "5"), try mock.push().with("apns-priority", nil),
            try mock.push().with("apns-expiration", "4102444800"), try mock.push().with("apns-expiration", nil),
            try mock.push("0f"),
        ])
        #expect(results.map(\.status) == Array(repeating: 200, count: 8))
    }
}
