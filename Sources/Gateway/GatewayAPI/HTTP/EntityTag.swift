import Encodings
import HTTPTypes
import Secrets

/// Names a version of something that is answered as it lies (RFC 9110, section 8.8.3).
struct EntityTag: Sendable {
    /// As `ETag` has it.
    let text: String

    /// Of these bytes.
    init(of bytes: [UInt8]) {
        text = "\"\(Hexadecimal.encode(Array(Digest.sha256(bytes).prefix(16))))\""
    }

    /// Whether the client has this version (RFC 9110, section 13.1.2).
    func isKnown(_ headers: HTTPFields) -> Bool {
        headers[values: .ifNoneMatch].contains { list in
            list.split(separator: ",").contains { item in
                let item = item.filter { $0 != " " && $0 != "\t" }
                return item == "*" || (item.hasPrefix("W/") ? item.dropFirst(2) : item[...]) == text[...]
            }
        }
    }
}
