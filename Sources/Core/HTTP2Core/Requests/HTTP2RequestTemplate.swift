/// The shared part of many requests: all header fields but two places, and the body. Immutable.
///
/// Requests of a template differ in a token and a number. The token is in the path, in the body or nowhere (`Hole`).
/// The number ends an identifier as eight hex digits. The rest is rendered once for a connection; each request is a
/// copy with these two values.
public final class HTTP2RequestTemplate: Sendable {
    /// The name of a header field, in lower case.
    public struct FieldName: Hashable, Sendable, ExpressibleByStringLiteral {
        let bytes: [UInt8]

        /// Requires lower case, as HTTP/2 does (RFC 9113, section 8.2).
        public init(_ text: String) { bytes = Array(text.utf8) }

        /// Requires lower case, as HTTP/2 does (RFC 9113, section 8.2).
        public init(stringLiteral text: StaticString) { bytes = text.withUTF8Buffer { Array($0) } }
    }

    /// A header field.
    public enum Field: Sendable {
        /// A field that many requests share. It is added to the peer's table.
        case constant(name: FieldName, value: [UInt8])
        /// A secret field that many requests share. It is never indexed (RFC 7541, section 7.1.3).
        case secret(name: FieldName, value: [UInt8])
        /// `:path`: the parts before and behind the token, or the whole path if the token is elsewhere.
        case path(prefix: [UInt8], suffix: [UInt8] = [])
        /// A field whose value is a prefix and the eight hex digits of a number.
        case numbered(name: FieldName, prefix: [UInt8])
    }

    /// The place of a request's token.
    public enum Hole: Hashable, Sendable, BitwiseCopyable {
        /// Nowhere: a token is ignored.
        case none
        /// Between the prefix and the suffix of the path.
        case path(Spelling)
        /// In the body, before the byte at this offset.
        case body(at: Int, Spelling)
    }

    /// The field lines are longer than `fieldBytesLimit`.
    public struct TooLarge: Error {}

    /// The maximum size of the field lines. With the longest token they fit into one HEADERS frame of any peer (RFC
    /// 9113, section 4.2).
    public static let fieldBytesLimit = 12_288
    /// The longest token in bytes.
    public static let tokenLimit = 1_024

    let fields: [Field]
    let body: HTTP2RequestBody?
    let form: RequestForm

    /// The pseudo-header fields come first, including `path`. A request with a body also gets `content-length`.
    /// - Parameter body: Nil for a request without one; it may be empty only if it contains the token.
    public init(fields: [Field], hole: Hole, body: HTTP2RequestBody?) throws(TooLarge) {
        switch hole {
        case .none, .path: precondition(body?.bytes.isEmpty != true, "a body without a byte")
        case .body(let offset, _):
            precondition(offset >= 0 && offset <= body?.bytes.count ?? -1, "a hole beside the body")
        }
        let total = fields.reduce(0) { $0 + $1.size }
        guard total <= HTTP2RequestTemplate.fieldBytesLimit else { throw TooLarge() }
        self.fields = fields
        self.body = body
        form = RequestForm(hole: hole, bodyCount: body?.bytes.count ?? 0)
    }

    /// The body of a request with this token; nil for a request without one.
    func body(with token: UnsafeRawBufferPointer) -> HTTP2RequestBody? {
        guard let body, case .body(let offset, let spelling) = form.hole else { return body }
        return HTTP2RequestBody(body, with: token, spelling, at: offset)
    }
}

extension HTTP2RequestTemplate.Field {
    /// The maximum encoded size: name, value and HPACK's overhead.
    fileprivate var size: Int {
        switch self {
        case .constant(let name, let value), .secret(let name, let value), .numbered(let name, let value):
            name.bytes.count + value.count + 16
        case .path(let prefix, let suffix): prefix.count + suffix.count + 16
        }
    }
}
