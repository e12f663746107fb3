import RedisClient

extension TestStage {
    /// All that Redis holds: keys, and the fields and values of hashes and strings; the rest as it is dumped.
    func storedTexts() async throws -> [[UInt8]] {
        let keys = try await keys("*")
        return try await withRedis { redis in
            var texts: [[UInt8]] = []
            for key in keys {
                texts.append(Array(key.utf8))
                switch try await redis.value(RedisCommand("TYPE", key)).string {
                case "hash":
                    texts += (try await redis.value(RedisCommand("HGETALL", key)).array ?? []).compactMap(\.bytes)
                case "string": texts += [try await redis.value(RedisCommand("GET", key)).bytes ?? []]
                default: texts += [try await redis.value(RedisCommand("DUMP", key)).bytes ?? []]
                }
            }
            return texts
        }
    }
}
