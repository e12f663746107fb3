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

    /// The delivery statuses of a page of slots: a short one is a field of its partition's counters.
    func statusPage(_ id: String, _ page: Int = 0) async throws -> [UInt8] {
        let partition = "fanfare:{\(id).\(page / 64)}"
        let field = try await redis(RedisCommand("HGET", "\(partition):c", "f\(page % 64)")).bytes
        if let field { return field }
        return try await redis(RedisCommand("GET", "\(partition):f:\(page)")).bytes ?? []
    }

    /// Writes delivery statuses of a page from an index on, where the page stands.
    func setStatuses(_ statuses: [UInt8], from first: Int, of id: String, _ page: Int = 0) async throws {
        let partition = "fanfare:{\(id).\(page / 64)}"
        var bytes = try await statusPage(id, page)
        bytes.replaceSubrange(first..<(first + statuses.count), with: statuses)
        let isField = try await redis(RedisCommand("HEXISTS", "\(partition):c", "f\(page % 64)")).int == 1
        _ = try await redis(
            isField
                ? RedisCommand("HSET", "\(partition):c", "f\(page % 64)", bytes)
                : RedisCommand("SET", "\(partition):f:\(page)", bytes, "KEEPTTL"))
    }

    /// Writes the delivery status of a slot of the first page.
    func setStatus(_ status: UInt8, of slot: Int, in id: String) async throws {
        try await setStatuses([status], from: slot, of: id)
    }

    /// The keys and fields of an activity's pages of push-to-start tokens.
    func startPages(_ id: String) async throws -> [String] {
        var pages = try await keys("fanfare:{\(id).*}:s:*")
        for counters in try await keys("fanfare:{\(id).*}:c") {
            let fields = try await redis(RedisCommand("HKEYS", counters)).array ?? []
            pages += fields.compactMap(\.string).filter { $0.first == "s" && Int($0.dropFirst()) != nil }
        }
        return pages
    }
}
