import HTTPTypes
import LiveActivity

/// The `X-Request-Id`.
enum RequestID {
    /// The client's own name for the request, or a new one.
    static func of(_ headers: HTTPFields) -> String {
        if let given = headers[.requestID], isSane(given) { return given }
        return UniqueID.random().description
    }

    /// 1 to 128 visible characters.
    static func isSane(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
