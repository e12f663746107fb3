import LiveActivity

/// What was found about one payload.
struct PayloadVerdict: Equatable {
    var rejection: Rejection?
    /// Nil when the payload does not tell.
    var event: MockPushEvent?
    /// Of a Live Activity, in seconds since 1970.
    var timestamp: Int64?
    /// The channel that a start has the device follow.
    var channel: String?
}

/// Whether a payload is one that the phone can use for a push of this type: "Starting and updating Live Activities with
/// ActivityKit push notifications", "Generating a remote notification", "Pushing background updates to your App". Reads
/// the whole text strictly (RFC 8259).
enum PayloadChecks {
    /// Bytes; a push to a device with token authentication.
    static let maximumLength = 4_096
    /// Bytes; a push to a channel.
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

    /// Whether a start says at most one way in which its updates come.
    private static func isUpdatable(channel: JSONValue?, token: JSONValue?) -> Bool {
        switch (channel, token) {
        case (nil, nil): true
        case (let channel?, nil): channel.string?.isEmpty == false
        case (nil, let token?): token.int64 == 1
        case (_?, _?): false
        }
    }

    /// Something to see, to hear, or to stand on the app's icon.
    private static func hasSomethingForThePerson(_ aps: JSONValue) throws(JSONSyntaxError) -> Bool {
        let members = try aps.members(["alert", "badge", "sound"])
        let isText = { (value: JSONValue?) in value?.kind == .string || value?.kind == .object }
        return isText(members[0]) || members[1]?.int64 != nil || isText(members[2])
    }

    /// Wakes the app, and shows nothing.
    private static func isSilent(_ aps: JSONValue) throws(JSONSyntaxError) -> Bool {
        let members = try aps.members(["content-available", "alert", "badge", "sound"])
        return members[0]?.int64 == 1 && members.dropFirst().allSatisfy { $0 == nil }
    }

    private static func isAlert(_ value: JSONValue?) throws(JSONSyntaxError) -> Bool {
        guard let value, value.kind == .object else { return false }
        // Each may be a text, or an object that names one to be localized.
        let texts = try value.members(["title", "body"])
        return texts.allSatisfy { $0?.kind == .string || $0?.kind == .object }
    }
}

/// The verdicts on the last few distinct payloads. The pushes of a broadcast share theirs, so that reading it again
/// for each device would be waste.
struct PayloadMemory {
    struct Entry {
        let payload: [UInt8]
        let type: MockPushType
        let verdict: PayloadVerdict
    }

    private var entries: [Entry] = []
    private static let capacity = 8

    /// The entry of `payload` in a push of this type, which is checked if it is new. With `checks` off any payload is
    /// good, and only the event is read.
    mutating func entry(for payload: [UInt8], _ type: MockPushType, checks: Bool) -> Entry {
        if let index = entries.firstIndex(where: { $0.type == type && $0.payload == payload }) {
            if index > 0 { entries.swapAt(0, index) }
            return entries[0]
        }
        var verdict = PayloadChecks.verdict(payload, type)
        if !checks, verdict.rejection == .badPayload { verdict.rejection = nil }
        // A copy of just the length, as the original is a buffer that is used again.
        let entry = Entry(payload: Array(payload[...]), type: type, verdict: verdict)
        if entries.count == Self.capacity { entries.removeLast() }
        entries.insert(entry, at: 0)
        return entry
    }
}
