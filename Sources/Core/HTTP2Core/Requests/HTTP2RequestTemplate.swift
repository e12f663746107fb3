/// What many requests share: all header fields but two places, and the body. Immutable.
///
/// Requests of one template differ in a token, which stands in the path, in the body or nowhere (`Hole`), and in a
/// number that ends an identifier as eight hex digits. All else is rendered once for a connection; from then on a
/// request is a copy of that with these two written in.
public final class HTTP2RequestTemplate: Sendable {
    /// The name of a header field, in lower case.
    public struct FieldName: Hashable, Sendable, ExpressibleByStringLiteral {
        let bytes: [UInt8]

        /// In lower case, as HTTP/2 asks (RFC 9113, section 8.2).
        public init(_ text: String) { bytes = Array(text.utf8) }

        /// In lower case, as HTTP/2 asks (RFC 9113, section 8.2).
        public init(stringLiteral text: StaticString) { bytes = text.withUTF8Buffer { Array($0) } }
    }

    /// A header field.
    public enum Field: Sendable {
        /// The same for many requests: the peer is asked to keep it in its table.
        case constant(name: FieldName, value: [UInt8])
        /// The same for many requests, and in nobody's table (RFC 7541, section 7.1.3).
        case secret(name: FieldName, value: [UInt8])
        /// `:path`: what stands before the token and behind it, or the whole when the token is not here.
        case path(prefix: [UInt8], suffix: [UInt8] = [])
        /// A beginning, and the eight hex digits of a number.
        case numbered(name: FieldName, prefix: [UInt8])
    }

    /// Where a request's token goes.
    public enum Hole: Hashable, Sendable, BitwiseCopyable {
        /// Nowhere: what is given as the token is passed over.
        case none
        /// Between the prefix and the suffix of the path.
        case path(Spelling)
        /// Into the body, in front of the byte at this offset.
        case body(at: Int, Spelling)
    }

    /// The field lines are longer than `fieldBytesLimit`.
    public struct TooLarge: Error {}

    /// Field lines longer than this are not sent: with the longest token they still fit into one HEADERS frame of any
    /// peer's (RFC 9113, section 4.2).
    public static let fieldBytesLimit = 12_288
    /// The longest token in bytes.
    public static let tokenLimit = 1_024

    let fields: [Field]
    let body: HTTP2RequestBody?
    let form: RequestForm
    let askedFields: [String]

    /// The pseudo-header fields come first, and `path` is one of them. A request with a body also gets
    /// `content-length`.
    /// - Parameters:
    ///   - body: nil for a request without one; without a byte only when the token goes into it.
    ///   - askedFields: the names, in lower case, of header fields that are wanted of an answer. Each answer, whatever
    ///     its status, is then told as `HTTP2Event.answered`, with these fields in its details.
    public init(
        fields: [Field], hole: Hole, body: HTTP2RequestBody?, asksForFields askedFields: [String] = []
    ) throws(TooLarge) {
        switch hole {
        case .none, .path: precondition(body?.bytes.isEmpty != true, "a body without a byte")
        case .body(let offset, _):
            precondition(offset >= 0 && offset <= body?.bytes.count ?? -1, "a hole beside the body")
        }
        let total = fields.reduce(0) { $0 + $1.size }
        guard total <= HTTP2RequestTemplate.fieldBytesLimit else { throw TooLarge() }
        self.fields = fields
        self.body = body
        self.askedFields = askedFields
        form = RequestForm(hole: hole, asksForFields: !askedFields.isEmpty, bodyCount: body?.bytes.count ?? 0)
    }

    /// The body of a request with this token; nil for a request without one.
    func body(with token: UnsafeRawBufferPointer) -> HTTP2RequestBody? {
        guard let body, case .body(let offset, let spelling) = form.hole else { return body }
        return HTTP2RequestBody(body, with: token, spelling, at: offset)
    }
}

extension HTTP2RequestTemplate.Field {
    /// Name, value and what HPACK adds at most.
    fileprivate var size: Int {
        switch self {
        case .constant(let name, let value), .secret(let name, let value), .numbered(let name, let value):
            name.bytes.count + value.count + 16
        case .path(let prefix, let suffix): prefix.count + suffix.count + 16
        }
    }
}
