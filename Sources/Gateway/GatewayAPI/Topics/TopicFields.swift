import GatewayStore
import LiveActivity
import Secrets
import TimeCore

extension TopicWrite {
    /// Parses the body of a topic's PUT, or an element of a feed. Throws `APIError`.
    /// - Parameter offersChannels: True if the app has broadcast capability.
    init(_ body: JSONValue, offersChannels: Bool, now: WallTime) throws {
        let type = try body.activityType()
        guard let name = try body.optionalString("state"), let state = TopicState(rawValue: name) else {
            throw APIError.invalid("state", "upcoming, live or ended")
        }
        let content = state == .live ? try body.requiredContent(needsAlert: false) : try body.content()
        if content != nil, content?.contentState == nil {
            throw APIError(.contentRequired, "content.content_state is required and must be an object")
        }
        if let content, (content.title == nil) != (content.message == nil) {
            throw APIError(.contentRequired, "send content.title and content.message together, or neither")
        }
        let options = try BroadcastOptions(body)
        try options.requireAlert(content)
        guard state != .upcoming || content != nil || options.priority == nil && options.presentation == .init() else {
            throw APIError(
                .validationFailed,
                "options: priority, stale_date, dismissal_date, relevance_score and sound require content")
        }
        self.init(type: type, state: state, digest: TopicWrite.digest(body))
        sequence = try TopicWrite.sequence(body)
        label = try body.label()
        channelUse = try ChannelUse(body.optionalObject("options"), isOffered: offersChannels)
        endsAt = try TopicWrite.endsAt(body, now)
        activityIDAttribute = try body.optionalObject("options")?.activityIDAttribute()
        if let content, content.hasAlert {
            start = .start(type: type, content: content, options: options.presentation)
        }
        priority = options.priority
        if state == .ended {
            ending = .end(content: content, options: options.presentation)
        } else if let content {
            attributes = content.attributes.map { .attributes($0, type: type) }
            update = .update(content: content, options: options.presentation)
        }
    }

    /// The digest of the topic's type, state, content, end time and options. The sequence and the label do not count.
    private static func digest(_ body: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in ["activity_type", "state", "content", "ends_at", "options"] {
            bytes += name.utf8
            bytes.append(0)
            bytes += (try? body.member(name))?.slice ?? []
            bytes.append(0)
        }
        return Array(Digest.sha256(bytes).prefix(16))
    }

    /// The largest sequence. Larger integers are not exact in all languages.
    private static let largestSequence: Int64 = 1 << 53

    private static func sequence(_ body: JSONValue) throws -> Int64? {
        guard let value = try body.optional("sequence") else { return nil }
        guard let number = value.integer, (0...largestSequence).contains(number) else {
            throw APIError.invalid("sequence", "a whole number from 0 to 2^53")
        }
        return number
    }

    private static func endsAt(_ body: JSONValue, _ now: WallTime) throws -> WallTime? {
        guard let text = try body.optionalString("ends_at") else { return nil }
        guard let time = WallTime(rfc3339: text) else {
            throw APIError.invalid("ends_at", "an RFC 3339 time like 2030-01-31T18:30:00Z")
        }
        guard time > now else { throw APIError(.endsAtInPast, "ends_at must be in the future") }
        return time
    }
}
