import LiveActivity

/// The result of checking a payload.
struct PayloadVerdict: Equatable {
    var rejection: Rejection?
    /// Nil if the payload names no event.
    var event: MockPushEvent?
    /// The timestamp of a Live Activity, in seconds since 1970.
    var timestamp: Int64?
    /// The channel that a start names for its device.
    var channel: String?
}

/// Checks that a phone can use a payload for a push of its type. The sources are "Starting and updating Live Activities
/// with ActivityKit push notifications", "Generating a remote notification" and "Pushing background updates to your
/// App". The parser is strict (RFC 8259).
enum PayloadChecks {
    /// The limit of a push to a device, in bytes.
    static let maximumLength = 4_096
    /// The limit of a push to a channel, in bytes.
    static let maximumLengthForChannels = 5_120

    static func verdict(
        _ payload: [UInt8], _ type: MockPushType, maximumLength: Int = maximumLength
    ) -> PayloadVerdict {
        if payload.isEmpty { return PayloadVerdict(rejection: .payloadEmpty) }
        if payload.count > maximumLength { return PayloadVerdict(rejection: .payloadTooLarge) }
        do throws(JSONSyntaxError) {
            guard let root = try root(payload), let aps = try root.member("aps"), aps.kind == .object else {
                return PayloadVerdict(rejection: .badPayload)
            }
            switch type {
            case .liveActivity: return try verdict(aps: aps)
            case .alert: return PayloadVerdict(rejection: try hasSomethingForThePerson(aps) ? nil : .badPayload)
            case .background: return PayloadVerdict(rejection: try isSilent(aps) ? nil : .badPayload)
            }
        } catch {
            return PayloadVerdict(rejection: .badPayload)
        }
    }

    private static func root(_ payload: [UInt8]) throws(JSONSyntaxError) -> JSONValue? {
        let root = try JSONDocument(parsing: payload).root
        return root.kind == .object ? root : nil
    }

    private static func verdict(aps: JSONValue) throws(JSONSyntaxError) -> PayloadVerdict {
        let members = try aps.members([
            "event", "timestamp", "content-state", "attributes-type", "attributes", "alert", "input-push-channel",
            "input-push-token",
        ])
        let event = members[0]?.string.flatMap { MockPushEvent(rawValue: $0) }
        guard let event, let timestamp = members[1]?.int64 else {
            return PayloadVerdict(rejection: .badPayload, event: event)
        }
        var isComplete = members[2].map { $0.kind == .object } ?? (event == .end)
        if event == .start {
            let hasAlert = try isAlert(members[5])
            let hasAttributes = members[3]?.string?.isEmpty == false && members[4]?.kind == .object
            isComplete = isComplete && hasAttributes && hasAlert && isUpdatable(channel: members[6], token: members[7])
        }
        return PayloadVerdict(
            rejection: isComplete ? nil : .badPayload, event: event, timestamp: timestamp,
            channel: event == .start ? members[6]?.string : nil)
    }

    /// True if a start names at most one source of updates.
    private static func isUpdatable(channel: JSONValue?, token: JSONValue?) -> Bool {
        switch (channel, token) {
        case (nil, nil): true
        case (let channel?, nil): channel.string?.isEmpty == false
        case (nil, let token?): token.int64 == 1
        case (_?, _?): false
        }
    }

    /// True if the push shows an alert, plays a sound or sets the badge.
    private static func hasSomethingForThePerson(_ aps: JSONValue) throws(JSONSyntaxError) -> Bool {
        let members = try aps.members(["alert", "badge", "sound"])
        let isText = { (value: JSONValue?) in value?.kind == .string || value?.kind == .object }
        return isText(members[0]) || members[1]?.int64 != nil || isText(members[2])
    }

    /// True if the push wakes the app and shows nothing.
    private static func isSilent(_ aps: JSONValue) throws(JSONSyntaxError) -> Bool {
        let members = try aps.members(["content-available", "alert", "badge", "sound"])
        return members[0]?.int64 == 1 && members.dropFirst().allSatisfy { $0 == nil }
    }

    private static func isAlert(_ value: JSONValue?) throws(JSONSyntaxError) -> Bool {
        guard let value, value.kind == .object else { return false }
        // Title and body may be texts, or objects that name localized texts.
        let texts = try value.members(["title", "body"])
        return texts.allSatisfy { $0?.kind == .string || $0?.kind == .object }
    }
}

/// A cache of verdicts on recent payloads. The pushes of a broadcast share payloads, so each is parsed only once.
struct PayloadMemory {
    struct Entry {
        let payload: [UInt8]
        let type: MockPushType
        let verdict: PayloadVerdict
    }

    private var entries: [Entry] = []
    private static let capacity = 8

    /// Returns the entry of `payload` in a push of this type. Without `checks`, only the length is verified and the
    /// event is read.
    mutating func entry(for payload: [UInt8], _ type: MockPushType, checks: Bool) -> Entry {
        if let index = entries.firstIndex(where: { $0.type == type && $0.payload == payload }) {
            if index > 0 { entries.swapAt(0, index) }
            return entries[0]
        }
        var verdict = PayloadChecks.verdict(payload, type)
        if !checks, verdict.rejection == .badPayload { verdict.rejection = nil }
        // The copy has the exact capacity, because the original is a reused buffer.
        let entry = Entry(payload: Array(payload[...]), type: type, verdict: verdict)
        if entries.count == Self.capacity { entries.removeLast() }
        entries.insert(entry, at: 0)
        return entry
    }
}
