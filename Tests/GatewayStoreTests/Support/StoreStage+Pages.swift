import LiveActivity
import RedisClient

@testable import GatewayStore

extension StoreStage {
    /// A page as it is, wherever it stands.
    func stored(_ content: PageKey.Content, _ activity: UniqueID, _ page: Int) async throws -> [UInt8] {
        try await store.roster.pages([PageKey(content, activity, page)])[0]
    }

    /// Writes a whole page, where one of its length stands.
    func put(_ bytes: [UInt8], _ content: PageKey.Content, _ activity: UniqueID, _ page: Int) async throws {
        let place = PageKey(content, activity, page)
        let isShort = bytes.count <= PageKey.longestField
        _ = try await store.values(
            isShort
                ? [RedisCommand("HSET", place.counters, place.field, bytes), RedisCommand("DEL", place.key)]
                : [RedisCommand("SET", place.key, bytes), RedisCommand("HDEL", place.counters, place.field)])
    }

    func remove(_ content: PageKey.Content, _ activity: UniqueID, _ page: Int) async throws {
        let place = PageKey(content, activity, page)
        _ = try await store.values([RedisCommand("HDEL", place.counters, place.field), RedisCommand("DEL", place.key)])
    }

    /// Writes delivery statuses of a page from an index on.
    func putStatuses(_ statuses: [UInt8], from first: Int, _ activity: UniqueID, _ page: Int = 0) async throws {
        var bytes = try await stored(.statuses, activity, page)
        bytes += [UInt8](repeating: 0, count: max(0, first + statuses.count - bytes.count))
        bytes.replaceSubrange(first..<(first + statuses.count), with: statuses)
        try await put(bytes, .statuses, activity, page)
    }
}
