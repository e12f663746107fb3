import Glibc

/// The header names that the mock looks at; any other is only written down. The raw value is what stands for the
/// name in the ledger.
enum HeaderName: UInt8, CaseIterable {
    case other
    case method, path, scheme, authority
    case authorization
    case apnsID, apnsTopic, apnsPriority, apnsPushType, apnsExpiration, apnsCollapseID
    case contentLength, contentType, userAgent

    var text: StaticString {
        switch self {
        case .other: ""
        case .method: ":method"
        case .path: ":path"
        case .scheme: ":scheme"
        case .authority: ":authority"
        case .authorization: "authorization"
        case .apnsID: "apns-id"
        case .apnsTopic: "apns-topic"
        case .apnsPriority: "apns-priority"
        case .apnsPushType: "apns-push-type"
        case .apnsExpiration: "apns-expiration"
        case .apnsCollapseID: "apns-collapse-id"
        case .contentLength: "content-length"
        case .contentType: "content-type"
        case .userAgent: "user-agent"
        }
    }

    init(_ name: UnsafeBufferPointer<UInt8>) {
        // By length first: at most three names share one.
        let candidates: (HeaderName, HeaderName, HeaderName)
        switch name.count {
        case 5: candidates = (.path, .other, .other)
        case 7: candidates = (.apnsID, .method, .scheme)
        case 10: candidates = (.apnsTopic, .authority, .userAgent)
        case 12: candidates = (.contentType, .other, .other)
        case 13: candidates = (.authorization, .apnsPriority, .other)
        case 14: candidates = (.apnsPushType, .contentLength, .other)
        case 15: candidates = (.apnsExpiration, .other, .other)
        case 16: candidates = (.apnsCollapseID, .other, .other)
        default: candidates = (.other, .other, .other)
        }
        if candidates.0.text.hasBytes(name) {
            self = candidates.0
        } else if candidates.1.text.hasBytes(name) {
            self = candidates.1
        } else {
            self = candidates.2.text.hasBytes(name) ? candidates.2 : .other
        }
    }
}

extension StaticString {
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == utf8CodeUnitCount, let base = bytes.baseAddress else { return false }
        return memcmp(base, utf8Start, bytes.count) == 0
    }
}

extension [UInt8] {
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == bytes.count else { return false }
        guard let base = bytes.baseAddress else { return true }
        return withUnsafeBufferPointer { $0.baseAddress.map { memcmp($0, base, bytes.count) == 0 } ?? true }
    }
}
