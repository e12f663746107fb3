import MockAPNs
import TestHTTP2Client
import Testing

@Suite("What the mock checks of a payload")
struct PayloadTests {
    static let bad = [
        "x", "[]", "{}", #"{"aps":[]}"#, #"{"aps":{"timestamp":1,"event":"update","content-state":{}}"#,
        #"{"aps":{"timestamp":1,"event":"update","content-state":{},}}"#,
        #"{"aps":{"timestamp":1,"event":"update"}}"#,
        #"{"aps":{"timestamp":1,"event":"update","content-state":"x"}}"#,
        #"{"aps":{"timestamp":"1","event":"update","content-state":{}}}"#,
        #"{"aps":{"timestamp":1.5,"event":"update","content-state":{}}}"#,
        #"{"aps":{"event":"update","content-state":{}}}"#, #"{"aps":{"timestamp":1,"content-state":{}}}"#,
        #"{"aps":{"timestamp":1,"event":"begin","content-state":{}}}"#,
        #"{"aps":{"timestamp":1,"event":"end","content-state":1}}"#,
        #"{"aps":{"timestamp":1,"timestamp":2,"event":"update","content-state":{}}}"#,
        #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes":{},"alert":{"title":"t","body":"b"}}}"#,
        #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"","attributes":{},"#
            + #""alert":{"title":"t","body":"b"}}}"#,
        #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"A","#
            + #""alert":{"title":"t","body":"b"}}}"#,
        #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"A","attributes":{}}}"#,
        #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"A","attributes":{},"#
            + #""alert":{"title":"t"}}}"#,
        #"{"aps":{"timestamp":1,"event":"start","attributes-type":"A","attributes":{},"#
            + #""alert":{"title":"t","body":"b"}}}"#,
    ]

    @Test("A payload that no Live Activity can use is refused", arguments: bad)
    func badPayload(_ payload: String) async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send([try mock.push().with(body: payload), try mock.push().with(body: payload)])
        #expect(results.map(\.reason) == ["BadPayload", "BadPayload"])
    }

    @Test("An end needs no content state, and alerts may be localized")
    func goodPayloads() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let localized =
            #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"A","attributes":{},"#
            + #""alert":{"title":{"loc-key":"k"},"body":{"loc-key":"k"}}}}"#
        let results = await client.send([
            try mock.push().with(body: #"{"aps":{"timestamp":1,"event":"end"}}"#),
            try mock.push().with(body: localized),
        ])
        #expect(results.map(\.status) == [200, 200])
    }

    @Test("Without payload checks anything goes but nothing and too much")
    func uncheckedPayload() async throws {
        let mock = try TestMock { $0.checksPayload = false }
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let large = String(repeating: "x", count: 4_097)
        let results = await client.send([
            try mock.push().with(body: "x"), try mock.push().with(body: large), try mock.push().with(body: ""),
        ])
        #expect(results.map(\.status) == [200, 413, 400])
    }

    @Test("More distinct payloads than the mock remembers are each checked rightly")
    func manyPayloads() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        var requests: [TestRequest] = []
        for index in 0..<60 {
            var request = try mock.push()
            request.body = TestRequest.payload("update", note: "\(index % 20)")
            if index % 3 == 0 { request.body.removeLast() }
            requests.append(request)
        }
        let results = await client.send(requests)
        #expect(results.map(\.status) == (0..<60).map { $0 % 3 == 0 ? 400 : 200 })
        #expect(mock.mock.ledgerEntries().map(\.payload) == requests.map(\.body))
    }
}
