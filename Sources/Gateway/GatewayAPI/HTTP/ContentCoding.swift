import HTTPTypes
import NIOHTTP1

/// Bodies of requests come as they are (RFC 9110, section 8.4): no coding is taken off.
enum ContentCoding {
    /// Throws 415 for a body in a coding. `identity` is none.
    static func check(_ headers: HTTPFields) throws {
        for value in headers[values: .contentEncoding] where !isNone(value) {
            throw APIError.unsupportedEncoding(value)
        }
    }

    /// Whether a field's value names no coding.
    static func isNone(_ value: String) -> Bool {
        value.split(separator: ",").allSatisfy { part in
            part.filter { $0 != " " && $0 != "\t" }.lowercased() == "identity"
        }
    }
}

extension APIError {
    /// - Parameter coding: what `Content-Encoding` says.
    static func unsupportedEncoding(_ coding: String) -> APIError {
        APIError(
            .unsupportedEncoding,
            "Content-Encoding \(coding.prefix(100)) is not supported; send the body without a coding")
    }
}
