import RedisClient

extension StoreBackend {
    /// Every key, and what it holds, that has one of the texts in it: `key` or `key: content`'s key, each once.
    public func traces(of texts: [[UInt8]], by redis: RedisClient) async throws -> [String] {
        var found: [String] = []
        for key in try await keys("*", by: redis).sorted() {
            var pieces = [Array(key.utf8)]
            let type = try await redis.value(RedisCommand("TYPE", key)).string
            switch type {
            case "string": pieces += StoreBackend.pieces(try await redis.value(RedisCommand("GET", key)))
            case "hash": pieces += StoreBackend.pieces(try await redis.value(RedisCommand("HGETALL", key)))
            case "list": pieces += StoreBackend.pieces(try await redis.value(RedisCommand("LRANGE", key, 0, -1)))
            case "set": pieces += StoreBackend.pieces(try await redis.value(RedisCommand("SMEMBERS", key)))
            case "zset": pieces += StoreBackend.pieces(try await redis.value(RedisCommand("ZRANGE", key, 0, -1)))
            case "stream": pieces += StoreBackend.pieces(try await redis.value(RedisCommand("XRANGE", key, "-", "+")))
            default: continue
            }
            if pieces.contains(where: { piece in texts.contains { piece.holds($0) } }) { found.append(key) }
        }
        return found
    }

    private static func pieces(_ value: RedisValue) -> [[UInt8]] {
        if let parts = value.array { return parts.flatMap(pieces) }
        return value.bytes.map { [$0] } ?? []
    }
}

extension [UInt8] {
    fileprivate func holds(_ other: [UInt8]) -> Bool {
        guard !other.isEmpty, count >= other.count else { return false }
        return (0...(count - other.count)).contains { start in
            self[start] == other[0] && self[start..<(start + other.count)].elementsEqual(other)
        }
    }
}
