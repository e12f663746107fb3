import CHiredis

/// A reply in the library's memory. It is valid only while the completion that received it runs. Read from it or
/// `copy()` it.
public struct RedisReplyView {
    /// The kinds of reply in RESP2.
    public enum Kind: Sendable {
        case null, integer, bytes, status, error, array
        /// A kind that RESP2 does not have.
        case unknown
    }

    let reply: UnsafeMutablePointer<redisReply>

    init(_ reply: UnsafeMutablePointer<redisReply>) {
        self.reply = reply
    }

    /// The kind of the reply.
    public var kind: Kind {
        switch reply.pointee.type {
        case REDIS_REPLY_STRING: .bytes
        case REDIS_REPLY_ARRAY: .array
        case REDIS_REPLY_INTEGER: .integer
        case REDIS_REPLY_NIL: .null
        case REDIS_REPLY_STATUS: .status
        case REDIS_REPLY_ERROR: .error
        default: .unknown
        }
    }

    /// True if the reply has no value.
    public var isNull: Bool { reply.pointee.type == REDIS_REPLY_NIL }
    /// True for an error inside an array.
    public var isError: Bool { reply.pointee.type == REDIS_REPLY_ERROR }

    /// The bytes of a string, status or error reply; empty for other kinds.
    public var bytes: UnsafeRawBufferPointer {
        switch reply.pointee.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS, REDIS_REPLY_ERROR:
            UnsafeRawBufferPointer(start: reply.pointee.str, count: Int(reply.pointee.len))
        default:
            UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// The number of an integer reply; nil for other kinds.
    public var integer: Int64? {
        reply.pointee.type == REDIS_REPLY_INTEGER ? Int64(reply.pointee.integer) : nil
    }

    /// The bytes as text; what is not UTF-8 is replaced by U+FFFD.
    public var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The elements of an array reply; empty for other kinds.
    public var elements: Elements { Elements(reply) }

    /// The elements of an array reply, valid as long as the view.
    public struct Elements: RandomAccessCollection {
        private let first: UnsafeMutablePointer<UnsafeMutablePointer<redisReply>?>?
        /// Always 0.
        public let startIndex = 0
        /// The number of elements.
        public let endIndex: Int

        init(_ reply: UnsafeMutablePointer<redisReply>) {
            let isArray = reply.pointee.type == REDIS_REPLY_ARRAY
            first = isArray ? reply.pointee.element : nil
            endIndex = first == nil ? 0 : Int(reply.pointee.elements)
        }

        /// The element at a valid index.
        public subscript(position: Int) -> RedisReplyView {
            precondition(position >= 0 && position < endIndex, "no element \(position) in an array of \(endIndex)")
            guard let element = first?[position] else { preconditionFailure("element \(position) is missing") }
            return RedisReplyView(element)
        }
    }
}

extension RedisReplyView {
    /// The maximum depth of arrays. Deeper ones are cut, so that no server can exhaust the stack.
    private static let deepestNesting = 32

    /// Returns a copy that may be kept.
    public func copy() -> RedisValue {
        copy(depth: 0)
    }

    private func copy(depth: Int) -> RedisValue {
        switch kind {
        case .null: return .null
        case .integer: return .integer(integer ?? 0)
        case .bytes: return .bytes(Array(bytes))
        case .status: return .status(string)
        case .error: return .error(string)
        case .array:
            guard depth < RedisReplyView.deepestNesting else { return .error("nested too deeply") }
            return .array(elements.map { $0.copy(depth: depth + 1) })
        case .unknown: return .error("a reply of a kind that is not part of RESP2")
        }
    }
}
