/// A reply of Redis (RESP2), copied out of the connection.
public enum RedisValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    case status(String)
    /// An error inside an array, for example from EXEC. An error that is the whole reply is a `RedisError` instead.
    case error(String)
    case array([RedisValue])
}

extension RedisValue {
    /// True if the reply has no value.
    public var isNull: Bool { self == .null }

    /// The text of a string or status reply; bytes that are not UTF-8 are replaced by U+FFFD.
    public var string: String? {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let text): text
        case .null, .integer, .error, .array: nil
        }
    }

    /// An integer reply, or a string reply that is a decimal number.
    public var int: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes, .status: string.flatMap { Int64($0) }
        case .null, .error, .array: nil
        }
    }

    /// The bytes of a string or status reply.
    public var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .status(let text): Array(text.utf8)
        case .null, .integer, .error, .array: nil
        }
    }

    /// The elements of an array reply; nil for other kinds.
    public var array: [RedisValue]? {
        if case .array(let values) = self { values } else { nil }
    }
}
