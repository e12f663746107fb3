import MockKit

/// The header names that the mock reads; others are only recorded. The raw value is the number in `FieldNames`.
enum FieldName: UInt8, CaseIterable {
    case other
    case method, path, scheme, authority
    case authorization
    case contentLength, contentType, userAgent

    private var text: StaticString {
        switch self {
        case .other: ""
        case .method: ":method"
        case .path: ":path"
        case .scheme: ":scheme"
        case .authority: ":authority"
        case .authorization: "authorization"
        case .contentLength: "content-length"
        case .contentType: "content-type"
        case .userAgent: "user-agent"
        }
    }

    static let all = FieldNames(allCases.map(\.text))
}
