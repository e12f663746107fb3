import MockKit

/// The parsed header fields of a request.
struct RequestHead {
    /// The endpoint of a request.
    enum Endpoint: Equatable {
        /// `POST /token` of the authorization server.
        case token
        /// `POST /v1/projects/PROJECT/messages:send` for the mock's project.
        case messages
        /// `POST /v1/projects/PROJECT/messages:send` for another project.
        case messagesOf(project: String)
        case nowhere
    }

    private(set) var endpoint = Endpoint.nowhere
    private(set) var isJSON = false
    private(set) var isForm = false
    private var isPost = false

    /// - Parameter ownPath: `/v1/projects/PROJECT/messages:send` with the mock's project.
    init(_ request: MockRequest, ownPath: [UInt8]) {
        request.fields.forEach(FieldName.all) { number, value in
            switch FieldName(rawValue: number) {
            case .method: isPost = Self.post.hasBytes(value)
            case .path: endpoint = Self.endpoint(value, ownPath)
            case .contentType:
                isJSON = Self.isType(value, Self.json)
                isForm = Self.isType(value, Self.form)
            default: break
            }
        }
        if !isPost { endpoint = .nowhere }
    }

    private static let post: StaticString = "POST"
    private static let json: StaticString = "application/json"
    private static let form: StaticString = "application/x-www-form-urlencoded"

    private static func endpoint(_ path: UnsafeBufferPointer<UInt8>, _ ownPath: [UInt8]) -> Endpoint {
        if ownPath.hasBytes(path) { return .messages }
        let text = String(decoding: path, as: UTF8.self)
        if text == "/token" { return .token }
        let (prefix, suffix) = ("/v1/projects/", "/messages:send")
        guard text.hasPrefix(prefix), text.hasSuffix(suffix), text.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return .nowhere }
        let project = text.dropFirst(prefix.count).dropLast(suffix.count)
        return project.contains("/") ? .nowhere : .messagesOf(project: String(project))
    }

    /// True if the media type matches, with or without parameters (RFC 9110, section 8.3.1).
    private static func isType(_ value: UnsafeBufferPointer<UInt8>, _ type: StaticString) -> Bool {
        guard value.count >= type.utf8CodeUnitCount else { return false }
        let rest = value[type.utf8CodeUnitCount...]
        return type.hasBytes(UnsafeBufferPointer(rebasing: value[..<type.utf8CodeUnitCount]))
            && (rest.isEmpty || rest.first == UInt8(ascii: ";") || rest.first == UInt8(ascii: " "))
    }
}
