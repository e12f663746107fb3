import Delivery
import LiveActivity

/// The `data` of a message: what a broadcast says, as the texts that the app on the phone is given. Made from content
/// in Apple's form, whose slices are kept as they are: `content_state` and `attributes` reach the app as the JSON that
/// the customer sent, byte for byte.
///
/// The keys are these and no others; none is reserved (Google: "About FCM messages": `from`, `message_type`, and what
/// begins with `google` or `gcm`).
struct FCMData: Sendable {
    /// How a text stands in the content.
    private enum Text: Sendable {
        /// As it is.
        case plain(String)
        /// The bytes of a JSON value are the text.
        case json(JSONValue)
        /// A JSON string stands for it.
        case literal(JSONValue)

        /// The text that a string stands for, and of any other value its bytes.
        static func alert(_ value: JSONValue) -> Text { value.kind == .string ? .literal(value) : .json(value) }
    }

    private var members: [(key: String, text: Text)] = []

    /// Deeper than any content that requests may have, which the payload puts one deeper.
    private static let maximumDepth = 128

    /// Nil when `content` is no payload as `Payload` composes it.
    /// - Parameter content: the whole payload, with its timestamp.
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
            // FCM keeps no order: the app shows the newest.
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

    /// Whether there is anything to alert the user with.
    var hasAlert: Bool { members.contains { $0.key == "title" || $0.key == "message" } }

    /// How many bytes it has as FCM counts them: the keys, and the texts without what JSON needs to carry them.
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
            // A document is valid UTF-8, so decoding loses nothing.
            case .json(let value): object.field(key, String(decoding: value.slice, as: UTF8.self))
            case .literal(let value): object.raw(key, value.slice)
            }
        }
    }
}
