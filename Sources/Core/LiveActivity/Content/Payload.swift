/// A push's payload in two halves around the timestamp, which the store assigns atomically with the change of state.
/// The length is fixed, because a timestamp has ten digits until the year 2286.
public struct Payload: Equatable, Sendable {
    /// The bytes before the timestamp.
    public let beforeTimestamp: [UInt8]
    /// The bytes after the timestamp.
    public let afterTimestamp: [UInt8]

    static let timestampDigits = 10
    private static let head = Array(#"{"aps":{"timestamp":"#.utf8)
    /// Display options, in the order of writing.
    static let presentation = ["stale-date", "relevance-score", "dismissal-date"]

    /// Creates a payload from stored halves.
    public init(beforeTimestamp: [UInt8], afterTimestamp: [UInt8]) {
        self.beforeTimestamp = beforeTimestamp
        self.afterTimestamp = afterTimestamp
    }

    /// Splits a whole payload and drops its timestamp. Returns nil for other bytes.
    public init?(_ bytes: [UInt8]) {
        let end = Payload.head.count + Payload.timestampDigits
        guard bytes.starts(with: Payload.head), bytes.count > end,
            bytes[Payload.head.count..<end].allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        self.init(beforeTimestamp: Payload.head, afterTimestamp: Array(bytes[end...]))
    }

    /// The length of the whole payload in bytes.
    public var length: Int { beforeTimestamp.count + Payload.timestampDigits + afterTimestamp.count }

    /// Returns the whole payload.
    public func bytes(timestamp: Int64) -> [UInt8] {
        beforeTimestamp + Array(String(timestamp).utf8) + afterTimestamp
    }

    /// The payload that starts an activity (Apple, "Starting and updating Live Activities with ActivityKit push
    /// notifications"). The content's slices are copied unchanged.
    /// - Parameter activityIDAttribute: The key and id to insert at the beginning of `attributes`, if any.
    public static func start(
        type: String, content: Content, options: PresentationOptions,
        activityIDAttribute: (key: String, id: UniqueID)? = nil
    ) -> Payload {
        compose("start") { writer in
            writer.member("content-state", content.contentState)
            writer.member("attributes-type", string: type)
            writer.member("attributes", attributes(content.attributes, adding: activityIDAttribute))
            // iOS 18 and later create an update token for this; earlier versions ignore it.
            writer.member("input-push-token", ArraySlice("1".utf8))
            writer.alert(content, sound: options.sound)
            writer.common(options)
        }
    }

    /// The error that `attributes` already contain the key for the activity's id.
    public struct AttributeTaken: Error, Equatable, Sendable {
        /// The key from the activity's registration.
        public let key: String

        public init(key: String) {
            self.key = key
        }
    }

    /// The payload that starts this activity, with its id among the attributes if registered.
    public static func start(
        of activity: Activity, content: Content, options: PresentationOptions
    ) throws(AttributeTaken) -> Payload {
        if let key = activity.activityIDAttribute, content.hasAttribute(key) { throw AttributeTaken(key: key) }
        return start(
            type: activity.type, content: content, options: options,
            activityIDAttribute: activity.activityIDAttribute.map { ($0, activity.id) })
    }

    /// Composes a start from an earlier start's alert and a newer payload's state. The bytes are copied unchanged.
    /// Returns nil for other payloads.
    /// - Parameter attributes: The payload with type and attributes, see `Payload.attributes`; nil to use those of
    ///   `start`.
    public static func start(
        _ start: [UInt8], withStateOf newest: [UInt8], attributes: Payload? = nil
    ) -> Payload? {
        guard let first = aps(of: start), let last = aps(of: newest), let state = slice(last, "content-state"),
            let fixed = attributes.map({ aps(of: $0.bytes(timestamp: anyTime)) }) ?? first,
            let type = slice(fixed, "attributes-type")
        else { return nil }
        return compose("start") { writer in
            writer.member("content-state", state)
            writer.member("attributes-type", type)
            writer.member("attributes", slice(fixed, "attributes"))
            for name in ["input-push-token", "alert"] { writer.member(name, slice(first, name)) }
            for name in Payload.presentation { writer.member(name, slice(last, name)) }
        }
    }

    /// Inserts the activity's id at the beginning of a start's `attributes`, if registered. Attributes that contain the
    /// key are not changed.
    public func adding(idOf activity: Activity) -> Payload {
        let whole = bytes(timestamp: Payload.anyTime)
        guard let key = activity.activityIDAttribute, !hasAttribute(key),
            let present = Payload.aps(of: whole).flatMap({ Payload.slice($0, "attributes") })
        else { return self }
        let attributes = Payload.attributes(present, adding: (key, activity.id))
        return Payload(Array(whole[..<present.startIndex] + attributes + whole[present.endIndex...])) ?? self
    }

    /// True if the `attributes` of this start have a member with the name.
    public func hasAttribute(_ name: String) -> Bool {
        guard let aps = Payload.aps(of: bytes(timestamp: Payload.anyTime)),
            let attributes = try? aps.member("attributes")
        else { return false }
        return attributes.firstMember(in: [name]) != nil
    }

    /// A topic's attributes, as a start without alert and content state.
    public static func attributes(_ attributes: ArraySlice<UInt8>, type: String) -> Payload {
        compose("start") { writer in
            writer.member("attributes-type", string: type)
            writer.member("attributes", attributes)
        }
    }

    /// The type and attributes of a start, as a payload for storage; nil for other payloads.
    public func attributes() -> (type: String, payload: Payload)? {
        guard let aps = Payload.aps(of: bytes(timestamp: Payload.anyTime)),
            let type = (try? aps.member("attributes-type"))?.string, let attributes = Payload.slice(aps, "attributes")
        else { return nil }
        return (type, Payload.attributes(attributes, type: type))
    }

    /// Composes a whole start whose Live Activities follow a channel instead of reporting update tokens. The content
    /// and the timestamp are copied unchanged. Returns nil for other payloads.
    public static func start(_ start: [UInt8], following channel: String) -> [UInt8]? {
        guard let aps = aps(of: start), let timestamp = slice(aps, "timestamp"),
            let state = slice(aps, "content-state"), let type = slice(aps, "attributes-type")
        else { return nil }
        let payload = compose("start") { writer in
            writer.member("content-state", state)
            writer.member("attributes-type", type)
            writer.member("attributes", slice(aps, "attributes"))
            writer.member("input-push-channel", string: channel)
            for name in ["alert"] + Payload.presentation { writer.member(name, slice(aps, name)) }
        }
        return payload.beforeTimestamp + timestamp + payload.afterTimestamp
    }

    /// A timestamp of ten digits, for payloads that are only parsed.
    private static let anyTime: Int64 = 1_000_000_000

    private static func aps(of payload: [UInt8]) -> JSONValue? {
        try? JSONDocument(parsing: payload).root.member("aps")
    }

    private static func slice(_ value: JSONValue, _ name: String) -> ArraySlice<UInt8>? {
        (try? value.member(name))?.slice
    }

    /// The payload that updates an activity. It has an alert only if the content has one.
    public static func update(content: Content, options: PresentationOptions) -> Payload {
        compose("update") { writer in
            writer.member("content-state", content.contentState)
            if content.hasAlert { writer.alert(content, sound: options.sound) }
            writer.common(options)
        }
    }

    /// The payload that ends an activity. Without content the Live Activity keeps its last state.
    public static func end(content: Content?, options: PresentationOptions) -> Payload {
        compose("end") { writer in
            writer.member("content-state", content?.contentState)
            if let content, content.hasAlert { writer.alert(content, sound: options.sound) }
            writer.common(options)
        }
    }

    /// Replaces the timestamp of a whole payload.
    public static func restamped(_ payload: [UInt8], timestamp: Int64) -> [UInt8] {
        guard payload.starts(with: head) else { return payload }
        let rest = payload.dropFirst(head.count).drop { (0x30...0x39).contains($0) }
        return head + Array(String(timestamp).utf8) + rest
    }

    private static func compose(_ event: String, _ body: (inout PayloadWriter) -> Void) -> Payload {
        var writer = PayloadWriter()
        body(&writer)
        return Payload(
            beforeTimestamp: head,
            afterTimestamp: Array(#","event":"\#(event)""#.utf8) + writer.bytes + Array("}}".utf8))
    }

    private static func attributes(
        _ attributes: ArraySlice<UInt8>?, adding added: (key: String, id: UniqueID)?
    ) -> ArraySlice<UInt8> {
        let object = attributes ?? ArraySlice("{}".utf8)
        guard let added else { return object }
        var bytes = Array("{".utf8)
        JSONText.appendQuoted(added.key, to: &bytes)
        bytes += Array(#":"\#(added.id)""#.utf8)
        let rest = object.dropFirst()
        if rest.first(where: { !isWhiteSpace($0) }) != UInt8(ascii: "}") { bytes.append(UInt8(ascii: ",")) }
        return ArraySlice(bytes + rest)
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}

/// Appends members to an object that already has a member.
private struct PayloadWriter {
    var bytes: [UInt8] = []

    mutating func member(_ name: String, _ value: ArraySlice<UInt8>?) {
        guard let value else { return }
        bytes += Array(#","\#(name)":"#.utf8)
        bytes += value
    }

    mutating func member(_ name: String, string value: String) {
        var text: [UInt8] = []
        JSONText.appendQuoted(value, to: &text)
        member(name, text[...])
    }

    mutating func alert(_ content: Content, sound: ArraySlice<UInt8>?) {
        var alert = PayloadWriter()
        alert.member("title", content.title)
        alert.member("body", content.message)
        alert.member("sound", sound)
        member("alert", ArraySlice(Array("{".utf8) + alert.bytes.dropFirst() + Array("}".utf8)))
    }

    mutating func common(_ options: PresentationOptions) {
        member("stale-date", options.staleDate.map { ArraySlice(String($0).utf8) })
        member("relevance-score", options.relevanceScore)
        member("dismissal-date", options.dismissalDate.map { ArraySlice(String($0).utf8) })
    }
}
