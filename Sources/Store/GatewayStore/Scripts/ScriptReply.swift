import RedisClient

/// The types of replies. Each function returns nil for a reply of another type.
enum ScriptReply {
    static func flag(_ reply: RedisValue) -> Bool? {
        switch reply.int {
        case 0: false
        case 1: true
        default: nil
        }
    }

    static func int(_ reply: RedisValue) -> Int? { reply.int.map { Int($0) } }

    static func bytes(_ reply: RedisValue) -> [UInt8]? { reply.bytes }

    static func text(_ reply: RedisValue) -> String? { reply.string }

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
}
