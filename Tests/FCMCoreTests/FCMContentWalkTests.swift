import Delivery
import FCMCore
import LiveActivity
import TestSupport
import Testing
import TimeCore

/// Random content of all kinds, compared with the output of an independent JSON reader.
@Suite("Content through FCM") struct FCMContentWalkTests {
    /// Writes valid JSON in careless forms.
    private struct Scribe {
        var random: SeededGenerator

        /// Pieces of strings: escapes, controls, surrogate pairs, characters of one to four bytes, and needless
        /// escapes.
        private static let pieces = [
            "a", "Z", "0", " ", #"\""#, #"\\"#, #"\/"#, "/", #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#, #"\u0000"#,
            #"\u001F"#,
            #"\u007f"#, "\u{7F}", #"\u0041"#, #"\u00e9"#, #"\u00E9"#, "é", "e\u{301}", #"\u2028"#, "\u{2028}", "日本",
            #"\ud83d\ude00"#, #"\uD83D\uDE00"#, "😀", "👩‍👩‍👧‍👦", "\u{FFFD}", "\u{FEFF}", #"\uFFFF"#, "\u{10FFFF}", "<", "&",
            "'",
        ]

        mutating func string(_ most: Int = 30) -> String {
            let count = Int.random(in: 0...most, using: &random)
            return "\"" + (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined() + "\""
        }

        mutating func space() -> String { ["", "", " ", "\n", "\t\r\n "].randomElement(using: &random) ?? "" }

        mutating func value(_ depth: Int) -> String {
            switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &random) {
            case 0: return string()
            case 1:
                return ["0", "-0", "1e+5", "-12.50E-3", "123456789012345678901"].randomElement(using: &random) ?? ""
            case 2: return "true"
            case 3: return "null"
            case 4: return "{}"
            case 5: return "[\(space())\(value(depth - 1)),\(space())\(value(depth - 1))\(space())]"
            default: return object(depth - 1)
            }
        }

        mutating func object(_ depth: Int, most: Int = 3) -> String {
            let names = ["from", "google.x", "gcm", "message_type", "content-state", "aps", "collapse_key"]
            let members = (0..<Int.random(in: 0...most, using: &random)).map { _ in
                let name = Bool.random(using: &random) ? string(4) : "\"\(names.randomElement(using: &random) ?? "")\""
                return "\(space())\(name)\(space()):\(space())\(value(depth))\(space())"
            }
            return "{\(members.joined(separator: ","))\(members.isEmpty ? space() : "")}"
        }

        mutating func maybe(_ text: String) -> ArraySlice<UInt8>? {
            Bool.random(using: &random) ? ArraySlice(text.utf8) : nil
        }
    }

    private func payload(_ event: PushEvent, _ content: Content, _ options: PresentationOptions) -> Payload {
        switch event {
        case .start: .start(type: "Typ\u{E9}\n\"", content: content, options: options)
        case .update: .update(content: content, options: options)
        case .end: .end(content: content, options: options)
        }
    }

    private func text(_ literal: ArraySlice<UInt8>?) throws -> [UInt8]? {
        try literal.map { Array(try JSONDocument(parsing: Array($0)).root.string?.utf8 ?? "".utf8) }
    }

    @Test("The app gets the bytes that the customer sent, and their size is known before")
    func walk() throws {
        var scribe = Scribe(random: TestSeed.generator(0xDA7A))
        let keys: Set = [
            "live_activity_id", "live_activity_event", "live_activity_timestamp", "live_activity_type", "attributes",
            "content_state", "title", "message", "stale_date", "dismissal_date", "relevance_score", "sound",
        ]
        var seen: Set<String> = []
        var (longest, tooLarge) = (0, 0)
        for round in 0..<3_000 {
            let event = PushEvent.allCases[round % 3]
            let state = scribe.object(3, most: round % 10 == 0 ? 120 : 3)
            let content = Content(
                title: scribe.maybe(scribe.string()), message: scribe.maybe(scribe.string()),
                contentState: ArraySlice(state.utf8), attributes: scribe.maybe(scribe.object(2)))
            let options = PresentationOptions(
                staleDate: Bool.random(using: &scribe.random) ? 1_700_000_000 : nil,
                dismissalDate: Bool.random(using: &scribe.random) ? 5 : nil,
                relevanceScore: scribe.maybe("-1.50e0"), sound: scribe.maybe(scribe.string()))
            let payload = payload(event, content, options)
            let intent = Intent(
                broadcast: FCMMessageTests.activity, activity: FCMMessageTests.activity, event: event,
                content: payload.bytes(timestamp: 1_712_345_678), expiration: 0, priority: .immediate)
            let size = try #require(FCMMessage.size(of: payload, event, of: FCMMessageTests.activity))
            guard let message = FCMMessage(intent, now: WallTime(seconds: 1)) else {
                #expect(size > FCMMessage.sizeLimit)
                tooLarge += 1
                continue
            }
            let data = try FCMMessageTests.Sent(message).message.data
            #expect(size == data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count })
            #expect(Array((data["content_state"] ?? "").utf8) == Array(state.utf8))
            #expect(try data["title"].map { Array($0.utf8) } == text(content.title))
            #expect(try data["message"].map { Array($0.utf8) } == text(content.message))
            if event == .start {
                #expect(
                    Array((data["attributes"] ?? "").utf8) == content.attributes.map { Array($0) } ?? Array("{}".utf8))
                #expect(data["live_activity_type"] == "Typ\u{E9}\n\"")
            }
            seen.formUnion(data.keys)
            longest = max(longest, size)
        }
        // Customer content adds no keys, and none of these is reserved.
        #expect(seen == keys)
        #expect(longest > 3_000 && longest <= FCMMessage.sizeLimit && tooLarge > 20)
    }
}
