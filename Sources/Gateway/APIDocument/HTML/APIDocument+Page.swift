import Encodings
import Secrets

extension APIDocument {
    /// The document as one page without further files.
    public struct Page: Sendable {
        /// The whole page in UTF-8.
        public let html: [UInt8]
        /// The policy that allows only the page's own style.
        public let contentSecurityPolicy: String
    }

    /// Creates the page, which takes tens of milliseconds.
    public func page() -> Page {
        let style = String(decoding: APIDocument.style, as: UTF8.self)
        let hash = Base64.encode(Digest.sha256(Array(style.utf8)))
        let policy =
            "default-src 'none'; style-src 'sha256-\(hash)'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        return Page(html: Array(PageRenderer(root: root, style: style).html().utf8), contentSecurityPolicy: policy)
    }
}
