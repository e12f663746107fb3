import Delivery
import FCMCore
import Foundation
import LiveActivity
import TestSupport
import Testing
import TimeCore

@Suite("Messages for FCM") struct FCMMessageTests {
    /// A body as an independent JSON reader decodes it.
    struct Sent: Decodable {
        struct Message: Decodable {
            struct Android: Decodable {
                let priority: String
                let ttl: String
                let collapseKey: String?

                enum CodingKeys: String, CodingKey { case priority, ttl, collapseKey = "collapse_key" }
            }

            let token: String
            let data: [String: String]
            let android: Android
        }

        let message: Message
        let validateOnly: Bool?

        enum CodingKeys: String, CodingKey { case message, validateOnly = "validate_only" }

        init(_ message: FCMMessage, token: String = "TOKEN") throws {
            var body = message.body
            body.insert(contentsOf: token.utf8, at: message.tokenOffset)
            self = try JSONDecoder().decode(Sent.self, from: Data(body))
        }
    }

    static let activity = UniqueID("0f8fad5b-d9cb-469f-a165-70867728950e")!
    private let start = WallTime(seconds: 1_700_000_000)

    private func intent(
        _ event: PushEvent, _ payload: Payload, expiration: Int64 = 1_700_000_300
    ) -> Intent {
        Intent(
            broadcast: Self.activity, activity: Self.activity, event: event,
            content: payload.bytes(timestamp: 1_700_000_001), expiration: expiration, priority: .considerate)
    }

    private func json(_ text: String) -> ArraySlice<UInt8> { ArraySlice(text.utf8) }

    private func sent(_ event: PushEvent, _ payload: Payload) throws -> Sent.Message {
        try Sent(#require(FCMMessage(intent(event, payload), now: start))).message
    }

    @Test("A start says all that the app needs, and the token goes into the hole")
    func startsWhole() throws {
        let content = Content(
            title: json(#""Kick \"off\"""#), message: json(#""⚽️ now""#), contentState: json(#"{ "score" : [0,0] }"#),
            attributes: json(#"{"home":"A"}"#))
        let options = PresentationOptions(staleDate: 1_700_000_900, relevanceScore: json("7"), sound: json(#""x""#))
        let message = try sent(.start, .start(type: "Match", content: content, options: options))
        #expect(message.token == "TOKEN")
        #expect(
            message.data == [
                "live_activity_id": Self.activity.description, "live_activity_event": "start",
                "live_activity_timestamp": "1700000001", "live_activity_type": "Match", "attributes": #"{"home":"A"}"#,
                "content_state": #"{ "score" : [0,0] }"#, "title": #"Kick "off""#, "message": "⚽️ now",
                "stale_date": "1700000900", "relevance_score": "7", "sound": "x",
            ])
        #expect(message.android.priority == "HIGH" && message.android.ttl == "300s")
        #expect(message.android.collapseKey == nil)
    }

    @Test("A text that the app has in its user's language is the customer's object as JSON")
    func localised() throws {
        let title = #"{ "loc-key":"GOAL", "loc-args":["\u00e9"] }"#
        let content = Content(title: json(title), message: json(#""m""#), contentState: json("{}"))
        for event in [PushEvent.start, .update] {
            let payload: Payload =
                event == .start
                ? .start(type: "T", content: content, options: .init()) : .update(content: content, options: .init())
            let message = try sent(event, payload)
            #expect(message.data["title"] == title && message.data["message"] == "m")
            let size = FCMMessage.size(of: payload, event, of: Self.activity)
            #expect(size == message.data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count })
        }
    }

    @Test("An update and an end say no more than they were given")
    func updateAndEnd() throws {
        let update = try sent(.update, .update(content: Content(contentState: json(#"{"a":1}"#)), options: .init()))
        #expect(update.data["live_activity_event"] == "update" && update.data["content_state"] == #"{"a":1}"#)
        #expect(update.data.count == 4)
        let end = try sent(.end, .end(content: nil, options: PresentationOptions(dismissalDate: 1_700_000_002)))
        #expect(end.data["live_activity_event"] == "end" && end.data["dismissal_date"] == "1700000002")
        #expect(end.data.count == 4)
    }

    @Test(
        "What is no payload is not sent", arguments: ["", "{}", #"{"aps":7}"#, #"{"aps":{"event":"end"}}"#, "{\"aps"])
    func noPayload(_ text: String) {
        let intent = Intent(
            broadcast: Self.activity, activity: Self.activity, event: .end, content: Array(text.utf8), expiration: 0,
            priority: .immediate)
        #expect(FCMMessage(intent, now: start) == nil)
    }

    @Test(
        "It is kept until the broadcast expires, four weeks at most",
        arguments: [
            (1_700_000_060, "60s"), (1_700_000_000, "0s"), (0, "0s"), (-5, "0s"), (Int64.min, "0s"),
            (1_702_419_200, "2419200s"), (1_702_419_201, "2419200s"), (Int64.max, "2419200s"),
        ])
    func timeToLive(_ expiration: Int64, _ ttl: String) throws {
        let payload = Payload.update(content: Content(contentState: json("{}")), options: .init())
        for now in [start, WallTime(milliseconds: start.milliseconds + 999)] {
            let message = try #require(FCMMessage(intent(.update, payload, expiration: expiration), now: now))
            #expect(try Sent(message).message.android.ttl == ttl)
        }
        let early = try #require(
            FCMMessage(intent(.update, payload, expiration: .max), now: WallTime(milliseconds: .min)))
        #expect(try Sent(early).message.android.ttl == "2419200s")
    }

    @Test("Only updates that alert nobody collapse, and only when asked for")
    func collapsing() throws {
        let silent = Content(contentState: json("{}"))
        let loud = Content(title: json(#""t""#), contentState: json("{}"))
        let cases: [(PushEvent, Payload, Bool)] = [
            (.update, .update(content: silent, options: .init()), true),
            (.update, .update(content: loud, options: .init()), false),
            (.start, .start(type: "T", content: silent, options: .init()), false),
            (.end, .end(content: silent, options: .init()), false),
        ]
        for (event, payload, collapses) in cases {
            let asked = try #require(FCMMessage(intent(event, payload), now: start, collapsesUpdates: true))
            #expect(try Sent(asked).message.android.collapseKey == (collapses ? Self.activity.description : nil))
            let plain = try #require(FCMMessage(intent(event, payload), now: start))
            #expect(try Sent(plain).message.android.collapseKey == nil && Sent(plain).validateOnly == nil)
        }
    }

    @Test("A probe is checked and never delivered")
    func probe() throws {
        let probe = try Sent(.probe, token: String(decoding: FCMMessage.nobody, as: UTF8.self))
        #expect(probe.validateOnly == true && probe.message.token == "nobody" && probe.message.android.ttl == "0s")
    }

    @Test("As much data is sent as FCM takes, and no byte more", arguments: [4_096, 4_097])
    func limit(_ size: Int) throws {
        func payload(_ filler: Int) -> Payload {
            .update(
                content: Content(
                    contentState: json(
                        #"{"s":"\#(String(repeating: #"\""#, count: filler / 2))"#
                            + String(repeating: "x", count: filler % 2) + #""}"#)), options: .init())
        }
        let bare = try #require(FCMMessage.size(of: payload(0), .update, of: Self.activity))
        let full = payload(size - bare)
        #expect(FCMMessage.size(of: full, .update, of: Self.activity) == size)
        #expect((FCMMessage(intent(.update, full), now: start) != nil) == (size <= FCMMessage.sizeLimit))
    }

    @Test("Content as deep as requests may have it is sent")
    func depth() throws {
        let state = String(repeating: #"{"a":"#, count: 63) + "1" + String(repeating: "}", count: 63)
        // A request contains the state one level deeper.
        _ = try JSONDocument(parsing: Array(#"{"content_state":\#(state)}"#.utf8))
        let message = try sent(.update, .update(content: Content(contentState: json(state)), options: .init()))
        #expect(message.data["content_state"] == state)
    }
}
