import LiveActivity
import MockAPNs
import Testing

/// Start, update and end as they arrive at the provider, byte for byte: every header field in its order, and the
/// payload.
@Suite("Requests on the wire", .serialized)
struct RequestOnTheWireTests {
    private static let options =
        #""options":{"expiration":4000000000,"stale_date":4000000001,"relevance_score":0.50,"sound":"bell\u002ecaf""#
    private static let content =
        #"{"title":"Kick-\u006fff","message":"It begins","content_state":{ "home": 1.0 },"attributes":{ "m":1 }}"#

    /// The one push of an event, with words in braces for what differs from run to run.
    private func request(_ event: MockPushEvent, _ id: String, _ stage: TestStage) throws -> String {
        let pushes = stage.pushes(event)
        let push = try #require(pushes.first)
        #expect(pushes.count == 1)
        let timestamp = try #require(push.aps("timestamp")).slice
        #expect(timestamp.count == 10)
        var lines = push.headers.map { "\($0.name): \($0.value)" }
        lines.append(contentsOf: ["", String(decoding: push.payload, as: UTF8.self)])
        var text = lines.joined(separator: "\n")
        let identifier = try #require(push.header("apns-id"))
        #expect(UniqueID(identifier)?.description == identifier)
        let variable = [
            (try #require(push.header("authorization")), "{provider token}"),
            (try #require(push.header(":authority")), "{authority}"), (id, "{activity}"),
            (String(identifier.prefix(28)), "{broadcast}"), (String(decoding: timestamp, as: UTF8.self), "{timestamp}"),
        ]
        for (value, word) in variable { text = text.replacing(value, with: word) }
        return text
    }

    @Test("A start, an update and an end are sent as they always have been, byte for byte")
    func requests() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1, options: #"{"activity_id_attribute":"activityId"}"#)
            let start = TestStage.body(id, content: Self.content, more: Self.options + "}")
            #expect(try await stage.call("start", start).accepted == 1)
            #expect(try await stage.sync(0, id).status == 200)
            let update = TestStage.body(
                id, content: #"{"content_state":{"home":2 , "away":1e0}}"#, more: #""options":{"expiration":0}"#)
            #expect(try await stage.call("update", update).accepted == 1)
            let end = TestStage.body(
                id, content: Self.content, more: Self.options + #","dismissal_date":4000000002,"priority":5}"#)
            #expect(try await stage.call("end", end).accepted == 1)
            let (started, updated, ended) =
                (try request(.start, id, stage), try request(.update, id, stage), try request(.end, id, stage))
            #expect(started == Self.start)
            #expect(updated == Self.update)
            #expect(ended == Self.end)
        }
    }

    private static let start = #"""
        :method: POST
        :scheme: https
        :authority: {authority}
        :path: /3/device/a000000000010101010202020203030303040404040505050506060606070707
        authorization: {provider token}
        apns-push-type: liveactivity
        apns-topic: com.example.fanfare.push-type.liveactivity
        apns-priority: 10
        apns-expiration: 4000000000
        apns-collapse-id: {activity}
        apns-id: {broadcast}00000000
        content-length: 336

        {"aps":{"timestamp":{timestamp},"event":"start","content-state":{ "home": 1.0 },"attributes-type":"MatchAttributes",\#
        "attributes":{"activityId":"{activity}", "m":1 },"input-push-token":1,"alert":{"title":"Kick-\u006fff",\#
        "body":"It begins","sound":"bell\u002ecaf"},"stale-date":4000000001,"relevance-score":0.50}}
        """#

    private static let update = #"""
        :method: POST
        :scheme: https
        :authority: {authority}
        :path: /3/device/b000000000010101010202020203030303040404040505050506060606070707
        authorization: {provider token}
        apns-push-type: liveactivity
        apns-topic: com.example.fanfare.push-type.liveactivity
        apns-priority: 5
        apns-expiration: 0
        apns-id: {broadcast}00000000
        content-length: 89

        {"aps":{"timestamp":{timestamp},"event":"update","content-state":{"home":2 , "away":1e0}}}
        """#

    private static let end = #"""
        :method: POST
        :scheme: https
        :authority: {authority}
        :path: /3/device/b000000000010101010202020203030303040404040505050506060606070707
        authorization: {provider token}
        apns-push-type: liveactivity
        apns-topic: com.example.fanfare.push-type.liveactivity
        apns-priority: 5
        apns-expiration: 4000000000
        apns-id: {broadcast}00000000
        content-length: 230

        {"aps":{"timestamp":{timestamp},"event":"end","content-state":{ "home": 1.0 },"alert":{"title":"Kick-\u006fff",\#
        "body":"It begins","sound":"bell\u002ecaf"},"stale-date":4000000001,"relevance-score":0.50,\#
        "dismissal-date":4000000002}}
        """#
}
