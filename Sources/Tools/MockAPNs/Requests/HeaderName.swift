import MockKit

/// The header names that the mock reads; others are only recorded. The raw value is the number in `FieldNames`.
enum HeaderName: UInt8, CaseIterable {
    case other
    case method, path, scheme, authority
    case authorization
    case apnsID, apnsTopic, apnsPriority, apnsPushType, apnsExpiration, apnsCollapseID
    case apnsChannelID, apnsRequestID
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
        case .apnsChannelID: "apns-channel-id"
        case .apnsRequestID: "apns-request-id"
        case .contentLength: "content-length"
        case .contentType: "content-type"
        case .userAgent: "user-agent"
        }
    }

    static let all = FieldNames(allCases.map(\.text))
}
