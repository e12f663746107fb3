import HTTPTypes
import NIOHTTP1

/// Refuses coded request bodies (RFC 9110, section 8.4), because the gateway decodes none.
enum ContentCoding {
    /// Throws 415 for a body in a coding other than `identity`.
    static func check(_ headers: HTTPFields) throws {
        for value in headers[values: .contentEncoding] where !isNone(value) {
            throw APIError.unsupportedEncoding(value)
        }
    }

    /// True if a field's value contains no coding except `identity`.
    static func isNone(_ value: String) -> Bool {
        value.split(separator: ",").allSatisfy { part in
            part.filter { $0 != " " && $0 != "\t" }.lowercased() == "identity"
        }
    }
}

extension APIError {
    /// - Parameter coding: The value of `Content-Encoding`.
    static func unsupportedEncoding(_ coding: String) -> APIError {
        APIError(
            .unsupportedEncoding,
            "Content-Encoding \(coding.prefix(100)) is not supported; send the body without a coding")
    }
}
