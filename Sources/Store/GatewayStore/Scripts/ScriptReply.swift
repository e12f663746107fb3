import RedisClient

/// The types of replies. Each function returns nil for a reply of another type.
enum ScriptReply {
    static func flag(_ reply: some ScriptValue) -> Bool? {
        switch reply.int {
        case 0: false
        case 1: true
        default: nil
        }
    }

    static func int(_ reply: some ScriptValue) -> Int? { reply.int.map { Int($0) } }

    static func bytes(_ reply: RedisValue) -> [UInt8]? { reply.bytes }

    static func text(_ reply: some ScriptValue) -> String? { reply.text }

    /// Reads the hash in a flat array of names and values.
    static func fields(_ reply: RedisValue) -> [RedisField]? { reply.array == nil ? nil : reply.fields }

    static func array<Element>(_ read: @escaping (RedisValue) -> Element?) -> (RedisValue) -> [Element]? {
        { reply in
            guard let values = reply.array else { return nil }
            let elements = values.compactMap(read)
            return elements.count == values.count ? elements : nil
        }
    }

    static func optional<Value>(_ read: @escaping (RedisValue) -> Value?) -> (RedisValue) -> Value?? {
        { reply in reply.isNull ? .some(nil) : read(reply).map { $0 } }
    }

    /// Reads an optional member at the end of an array. Scripts end an array at its first nil.
    static func last<Parts: RandomAccessCollection, Value>(
        _ parts: Parts, _ index: Int, _ read: (Parts.Element) -> Value?
    ) -> Value?? where Parts.Index == Int, Parts.Element: ScriptValue {
        index >= parts.endIndex || parts[index].isNull ? .some(nil) : read(parts[index]).map { $0 }
    }
}

/// A value in a reply: a copy, or a view in the memory of the connection.
protocol ScriptValue {
    var isNull: Bool { get }
    var int: Int64? { get }
    var text: String? { get }
}

extension RedisValue: ScriptValue {
    var text: String? { string }
}

extension RedisReplyView: ScriptValue {
    var array: Elements? { kind == .array ? elements : nil }
    var int: Int64? { integer }
    var text: String? { kind == .bytes ? string : nil }
}
