import MockKit

/// Checks of single header values ("Sending notification requests to APNs"). Pure functions.
struct HeaderChecks {
    private let bundle: [UInt8]
    private let topic: [UInt8]
    private static let topicSuffix = Array(".push-type.liveactivity".utf8)

    init(bundleID: String) {
        bundle = Array(bundleID.utf8)
        topic = bundle + Self.topicSuffix
    }

    /// True if the bundle identifier of a path is that of the mock's app.
    func isOurApp(_ bundle: Substring) -> Bool { bundle.utf8.elementsEqual(self.bundle) }

    func topic(_ value: UnsafeBufferPointer<UInt8>) -> PushTopic {
        if topic.hasBytes(value) { return .liveActivities(isOurs: true) }
        if value.isEmpty { return .empty }
        let suffix = Self.topicSuffix
        guard value.count > suffix.count,
            suffix.hasBytes(UnsafeBufferPointer(rebasing: value[(value.count - suffix.count)...]))
        else { return .app(isOurs: bundle.hasBytes(value)) }
        return .liveActivities(isOurs: false)
    }

    /// Returns nil if there is no priority of this number.
    func priority(_ value: UnsafeBufferPointer<UInt8>) -> PushPriority? {
        guard value.count <= 2, value.first != UInt8(ascii: "0"), value.allSatisfy({ isDigit($0) }) else { return nil }
        return PushPriority(rawValue: value.reduce(0) { $0 * 10 + ($1 - UInt8(ascii: "0")) })
    }

    /// Accepts one to ten digits: seconds since 1970, or 0.
    func expiration(_ value: UnsafeBufferPointer<UInt8>) -> Rejection? {
        let isNumber = (1...10).contains(value.count) && value.allSatisfy { isDigit($0) }
        return isNumber ? nil : .badExpirationDate
    }

    /// Accepts a UUID in lower case, for example `123e4567-e89b-12d3-a456-42665544000a`.
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
