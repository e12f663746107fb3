import Encodings
import Secrets

extension APIDocument {
    /// The document as one page that loads nothing else.
    public struct Page: Sendable {
        /// The whole page.
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
