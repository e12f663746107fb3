import Delivery
import LiveActivity

/// The `data` of a message: the broadcast's content as texts for the app. It is made from content in Apple's form
/// without copies. `content_state` and `attributes` reach the app as the customer's JSON, byte for byte.
///
/// No key is reserved by FCM (Google: "About FCM messages": `from`, `message_type`, and prefixes `google` and `gcm`).
struct FCMData: Sendable {
    /// The source of a text in the content.
    private enum Text: Sendable {
        /// The text itself.
        case plain(String)
        /// A JSON value whose bytes are the text.
        case json(JSONValue)
        /// A JSON string literal whose value is the text.
        case literal(JSONValue)

        /// The value of a string, or the bytes of any other JSON value.
        static func alert(_ value: JSONValue) -> Text { value.kind == .string ? .literal(value) : .json(value) }
    }

    private var members: [(key: String, text: Text)] = []

    /// The payload adds one level to a request's content, so this is deeper than any.
    private static let maximumDepth = 128

    /// Returns nil if `Payload` did not compose `content`.
    /// - Parameter content: The whole payload, with its timestamp.
    init?(_ event: PushEvent, of activity: UniqueID, content: [UInt8]) {
        guard
            let aps = try? JSONDocument(parsing: content, maximumDepth: Self.maximumDepth).root.member("aps"),
            let values = try? aps.members([
                "timestamp", "attributes-type", "attributes", "content-state", "alert", "stale-date", "dismissal-date",
                "relevance-score",
            ]), let timestamp = values[0]
        else { return nil }
        let alert = (try? values[4]?.members(["title", "body", "sound"])) ?? [nil, nil, nil]
        members = [
            ("live_activity_id", .plain(activity.description)), ("live_activity_event", .plain(event.rawValue)),
            // FCM does not preserve order: the app shows the newest.
            ("live_activity_timestamp", .json(timestamp)),
        ]
        add("live_activity_type", values[1].map(Text.literal))
        add("attributes", values[2].map(Text.json))
        add("content_state", values[3].map(Text.json))
        add("title", alert[0].map(Text.alert))
        add("message", alert[1].map(Text.alert))
        add("sound", alert[2].map(Text.literal))
        add("stale_date", values[5].map(Text.json))
        add("dismissal_date", values[6].map(Text.json))
        add("relevance_score", values[7].map(Text.json))
    }

    private mutating func add(_ key: String, _ text: Text?) {
        if let text { members.append((key, text)) }
    }

    /// True if the message has a title or text for an alert.
    var hasAlert: Bool { members.contains { $0.key == "title" || $0.key == "message" } }

    /// The size in bytes as FCM counts it: the keys and the texts without JSON escapes.
    var size: Int {
        members.reduce(0) { $0 + $1.key.utf8.count + Self.size(of: $1.text) }
    }

    private static func size(of text: Text) -> Int {
        switch text {
        case .plain(let text): text.utf8.count
        case .json(let value): value.byteRange.count
        case .literal(let value): value.unescapedBytes?.count ?? 0
        }
    }

    func write(to object: inout JSONObjectWriter) {
        for (key, text) in members {
            switch text {
            case .plain(let text): object.field(key, text)
            // A document is valid UTF-8, so decoding is lossless.
            case .json(let value): object.field(key, String(decoding: value.slice, as: UTF8.self))
            case .literal(let value): object.raw(key, value.slice)
            }
        }
    }
}
