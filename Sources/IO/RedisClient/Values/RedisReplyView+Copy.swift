import CHiredis

extension RedisReplyView {
    /// A view of a reply that was copied before, valid while `body` runs.
    static func withView(of value: RedisValue, _ body: (RedisReplyView) -> Void) {
        var reply = redisReply()
        switch value {
        case .null: reply.type = REDIS_REPLY_NIL
        case .integer(let number):
            reply.type = REDIS_REPLY_INTEGER
            reply.integer = number
        case .bytes(let bytes): return withText(bytes, REDIS_REPLY_STRING, body)
        case .status(let text): return withText(Array(text.utf8), REDIS_REPLY_STATUS, body)
        case .error(let text): return withText(Array(text.utf8), REDIS_REPLY_ERROR, body)
        case .array(let values): return withElements(values[...], [], body)
        }
        withUnsafeMutablePointer(to: &reply) { body(RedisReplyView($0)) }
    }

    private static func withText(_ text: [UInt8], _ type: Int32, _ body: (RedisReplyView) -> Void) {
        var text = text
        let count = text.count
        text.append(0)
        text.withUnsafeMutableBytes { bytes in
            var reply = redisReply()
            reply.type = type
            reply.len = .init(count)
            reply.str = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            withUnsafeMutablePointer(to: &reply) { body(RedisReplyView($0)) }
        }
    }

    /// Keeps each element on the stack until the last one is built.
    private static func withElements(
        _ values: ArraySlice<RedisValue>, _ made: [UnsafeMutablePointer<redisReply>?],
        _ body: (RedisReplyView) -> Void
    ) {
        if let first = values.first {
            return withView(of: first) { withElements(values.dropFirst(), made + [$0.reply], body) }
        }
        var made = made
        made.withUnsafeMutableBufferPointer { elements in
            var reply = redisReply()
            reply.type = REDIS_REPLY_ARRAY
            reply.elements = .init(elements.count)
            reply.element = elements.baseAddress
            withUnsafeMutablePointer(to: &reply) { body(RedisReplyView($0)) }
        }
    }
}
