import LiveActivity
import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

@Suite("Types of pushes")
struct PushTypeTests {
    private static let alert = #"{"aps":{"alert":{"title":"t","body":"b"}},"own":1}"#
    private static let background = #"{"aps":{"content-available":1},"own":{"aps":{"alert":"x"}}}"#

    @Test("Alerts and background pushes are taken, and stand in the ledger with their type")
    func taken() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        var late = try mock.notification("background", priority: "5", Self.background)
        // The type may come after what it is about.
        late.headers.reverse()
        let results = await client.send([
            try mock.notification("alert", priority: "10", Self.alert),
            try mock.notification("alert", priority: nil, #"{"aps":{"alert":"hello"}}"#),
            try mock.notification("alert", priority: "5", #"{"aps":{"badge":0}}"#),
            try mock.notification("alert", priority: "1", #"{"aps":{"sound":{"name":"x"},"content-available":1}}"#),
            late, try mock.push(event: "start"),
        ])
        #expect(results.map(\.status) == Array(repeating: 200, count: 6))
        let types: [MockPushType?] = [.alert, .alert, .alert, .alert, .background, .liveActivity]
        #expect(mock.mock.ledgerEntries().map(\.pushType) == types)
        #expect(mock.mock.ledgerEntries().map(\.event) == [nil, nil, nil, nil, nil, .start])
        #expect(mock.mock.counts().pushesByType == [.alert: 4, .background: 1, .liveActivity: 1])
        #expect(mock.mock.counts().pushesByEvent == [.start: 1])
        let path = mock.mock.options.directory + "/types.ndjson"
        try mock.mock.writeLedger(to: path)
        let written = try MockScript.text(ofFile: path).split(separator: UInt8(ascii: "\n")).map {
            try JSONDocument(parsing: Array($0)).root.member("push_type")?.string
        }
        #expect(written == types.map { $0?.rawValue })
    }

    private struct Fault {
        let reason: String
        let type: String
        var priority: String? = "5"
        var payload: String
        var topic = ""
    }

    private static let faults = [
        Fault(reason: "BadPriority", type: "background", priority: "10", payload: background),
        Fault(reason: "BadPriority", type: "background", priority: "1", payload: background),
        Fault(reason: "BadPriority", type: "background", priority: nil, payload: background),
        Fault(reason: "BadPriority", type: "alert", priority: "2", payload: alert),
        Fault(reason: "BadTopic", type: "background", payload: background, topic: ".push-type.liveactivity"),
        Fault(reason: "BadTopic", type: "alert", payload: alert, topic: ".push-type.liveactivity"),
        Fault(reason: "DeviceTokenNotForTopic", type: "alert", payload: alert, topic: ".other"),
        Fault(reason: "BadPayload", type: "alert", payload: #"{"aps":{}}"#),
        Fault(reason: "BadPayload", type: "alert", payload: #"{"aps":{"alert":1,"badge":"1","sound":[]}}"#),
        Fault(reason: "BadPayload", type: "alert", payload: background),
        Fault(reason: "BadPayload", type: "background", payload: alert),
        Fault(reason: "BadPayload", type: "background", payload: #"{"aps":{"content-available":true}}"#),
        Fault(reason: "BadPayload", type: "background", payload: #"{"aps":{"content-available":1,"sound":"x"}}"#),
        Fault(reason: "BadPayload", type: "background", payload: #"{"content-available":1}"#),
        Fault(reason: "BadPayload", type: "liveactivity", payload: alert, topic: ".push-type.liveactivity"),
    ]

    @Test("What does not go with its type is refused")
    func refused() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send(
            try Self.faults.map {
                try mock.notification($0.type, priority: $0.priority, $0.payload)
                    .with("apns-topic", mock.mock.bundleID + $0.topic)
            })
        for (fault, result) in zip(Self.faults, results) { #expect(result.reason == fault.reason, "\(fault)") }
    }

    @Test("A payload is checked for each type that comes with it")
    func sharedPayload() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send([
            try mock.notification("background", priority: "5", Self.background),
            try mock.notification("alert", priority: "5", Self.background),
            try mock.notification("background", priority: "5", Self.background),
        ])
        #expect(results.map(\.status) == [200, 400, 200])
    }

    @Test("A rule may be for pushes of one type")
    func rule() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.rules = [MockRule(.init(pushType: .alert), .answer(status: 410, reason: "Unregistered"))]
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send([
            try mock.notification("alert", priority: "10", Self.alert), try mock.push(),
            try mock.notification("background", priority: "5", Self.background),
        ])
        #expect(results.map(\.status) == [410, 200, 200])
    }
}
