/// What many requests share: all header fields but the end of two of them, and the body. Immutable.
///
/// A request is the template, the bytes that end its path (as lower-case hex digits) and a number that ends its
/// identifier (as eight hex digits). It is rendered once for a connection; from then on a request is a copy of that
/// with the digits written in.
public final class HTTP2RequestTemplate: @unchecked Sendable {
    public enum Field {
        /// The same for many requests: the peer is asked to keep it in its table.
        case constant(name: String, value: [UInt8])
        /// The same for many requests, and in nobody's table (RFC 7541, section 7.1.3).
        case secret(name: String, value: [UInt8])
        /// `:path`: a beginning, and the token's hex digits.
        case path(prefix: [UInt8])
        /// A beginning, and the eight hex digits of a number.
        case numbered(name: String, prefix: [UInt8])
    }

    public struct TooLarge: Error {}

    /// Field lines longer than this are not sent: with the longest token they still fit into one HEADERS frame of any
    /// peer's (RFC 9113, section 4.2).
    public static let fieldBytesLimit = 12_288
    /// The longest token in bytes.
    public static let tokenLimit = 1_024

    let fields: [Field]
    let body: UnsafeRawBufferPointer

    /// Copies everything. The pseudo-header fields come first, and `path` is one of them.
    /// - Parameter body: one byte at least.
    public init(fields: [Field], body: some Collection<UInt8>) throws(TooLarge) {
        precondition(!body.isEmpty, "a request without a body")
        let total = fields.reduce(0) { $0 + $1.size }
        guard total <= HTTP2RequestTemplate.fieldBytesLimit else { throw TooLarge() }
        self.fields = fields
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: body.count, alignment: 16)
        memory.copyBytes(from: body)
        self.body = UnsafeRawBufferPointer(memory)
    }

    deinit {
        body.deallocate()
    }
}

extension HTTP2RequestTemplate.Field {
    /// Name, value and what HPACK adds at most.
    fileprivate var size: Int {
        switch self {
        case .constant(let name, let value), .secret(let name, let value), .numbered(let name, let value):
            name.utf8.count + value.count + 16
        case .path(let prefix): prefix.count + 16
        }
    }
}
