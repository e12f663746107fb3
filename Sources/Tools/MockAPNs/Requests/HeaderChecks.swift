/// Whether single header values are what Apple asks for ("Sending notification requests to APNs"). Pure functions.
struct HeaderChecks {
    private let bundle: [UInt8]
    private let topic: [UInt8]
    private static let topicSuffix = Array(".push-type.liveactivity".utf8)
    private static let liveActivity: StaticString = "liveactivity"
    private static let priorities: (StaticString, StaticString) = ("5", "10")

    init(bundleID: String) {
        bundle = Array(bundleID.utf8)
        topic = bundle + Self.topicSuffix
    }

    func pushType(_ value: UnsafeBufferPointer<UInt8>) -> Rejection? {
        Self.liveActivity.hasBytes(value) ? nil : .invalidPushType
    }

    /// Another application's topic is not the token's; one that is no topic of a Live Activity is bad.
    func topic(_ value: UnsafeBufferPointer<UInt8>) -> Rejection? {
        if topic.hasBytes(value) { return nil }
        let suffix = Self.topicSuffix
        guard value.count > suffix.count,
            suffix.hasBytes(UnsafeBufferPointer(rebasing: value[(value.count - suffix.count)...]))
        else { return value.isEmpty ? .missingTopic : .badTopic }
        return .deviceTokenNotForTopic
    }

    func priority(_ value: UnsafeBufferPointer<UInt8>) -> Rejection? {
        Self.priorities.0.hasBytes(value) || Self.priorities.1.hasBytes(value) ? nil : .badPriority
    }

    /// Seconds since 1970 in digits; 0 is allowed.
    func expiration(_ value: UnsafeBufferPointer<UInt8>) -> Rejection? {
        let isNumber = (1...10).contains(value.count) && value.allSatisfy { isDigit($0) }
        return isNumber ? nil : .badExpirationDate
    }

    /// A UUID in lower case, as `123e4567-e89b-12d3-a456-42665544000a`.
    func identifier(_ value: UnsafeBufferPointer<UInt8>) -> Rejection? {
        guard value.count == 36 else { return .badMessageId }
        for (index, byte) in value.enumerated() {
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return .badMessageId }
            default:
                guard isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) else {
                    return .badMessageId
                }
            }
        }
        return nil
    }

    func collapseIdentifier(_ value: UnsafeBufferPointer<UInt8>) -> Rejection? {
        value.count <= 64 ? nil : .badCollapseId
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
