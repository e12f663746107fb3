import Secrets

extension APIDocument {
    /// The document as one page that loads nothing else.
    public struct Page: Sendable {
        public let html: [UInt8]
        /// What the page may do: show itself, with its own style.
        public let contentSecurityPolicy: String
    }

    /// Takes some tens of milliseconds.
    public func page() -> Page {
        let style = String(decoding: APIDocument.style, as: UTF8.self)
        let hash = Base64.encode(Digest.sha256(Array(style.utf8)))
        let policy =
            "default-src 'none'; style-src 'sha256-\(hash)'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        return Page(html: Array(PageRenderer(root: root, style: style).html().utf8), contentSecurityPolicy: policy)
    }
}

/// RFC 4648, section 4.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    static func encode(_ bytes: [UInt8]) -> String {
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? digits[(bits >> (18 - 6 * place)) & 63] : "=")
            }
        }
        return text
    }
}
