import Encodings
import HTTPTypes
import Secrets

/// The tag of a version of a static reply (RFC 9110, section 8.8.3).
struct EntityTag: Sendable {
    /// The value of `ETag`.
    let text: String

    init(of bytes: [UInt8]) {
        text = "\"\(Hexadecimal.encode(Array(Digest.sha256(bytes).prefix(16))))\""
    }

    /// True if the client has this version (RFC 9110, section 13.1.2).
    func isKnown(_ headers: HTTPFields) -> Bool {
        headers[values: .ifNoneMatch].contains { list in
            list.split(separator: ",").contains { item in
                let item = item.filter { $0 != " " && $0 != "\t" }
                return item == "*" || (item.hasPrefix("W/") ? item.dropFirst(2) : item[...]) == text[...]
            }
        }
    }
}
