import Reactor
import RedisClient
import TimeCore

/// A board on which gateways announce changes in numbered places, so that they need not poll all places. It is one
/// string, read by one command. News may be lost, so readers must also poll all places from time to time.
public final class NewsBoard: Sendable {
    /// The number of places.
    public let places: Int
    private let redis: RedisClient
    private let key: String
    private let writing = Locked(Writing())

    private struct Writing {
        var waiting: Set<Int> = []
        var isUnderWay = false
    }

    /// The pause between writes. Announcements in the meantime are written together.
    private static let pause = Duration.milliseconds(20)
    /// A short deadline, so that an unreachable node does not delay news about the shards of other nodes.
    private static let deadline = TimeInterval.milliseconds(500)

    init(_ redis: RedisClient, key: String, places: Int) {
        self.redis = redis
        self.key = key
        self.places = places
    }

    /// The place of a name. Several names share a place.
    public func place(of name: String) -> Int {
        // FNV-1a, because all gateways must agree.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int((hash ^ hash >> 32) % UInt64(places))
    }

    /// Announces news in a place to all gateways. Must be called after the change, because readers react at once.
    /// Returns before the announcement is written. Callable from any thread.
    public func announce(_ place: Int) {
        let isUnderWay = writing.withLock { writing in
            writing.waiting.insert(place)
            defer { writing.isUnderWay = true }
            return writing.isUnderWay
        }
        guard !isUnderWay else { return }
        Task { await tell() }
    }

    /// Writes the announcements. Ignores errors, because readers also poll all places.
    private func tell() async {
        while true {
            let places = writing.withLock { writing in
                defer { writing.waiting = [] }
                writing.isUnderWay = !writing.waiting.isEmpty
                return writing.waiting
            }
            guard !places.isEmpty else { return }
            _ = await redis.pipeline(
                places.map { place in
                    let value = (0..<NewsPage.bytesOfPlace).map { _ in UInt8.random(in: 0...255) }
                    return RedisCommand("SETRANGE", key, place * NewsPage.bytesOfPlace, value)
                })
            try? await Task.sleep(for: NewsBoard.pause)
        }
    }

    /// Returns once all announcements are written or have failed. Must be called before the client is shut down.
    public func flush() async {
        while writing.withLock({ $0.isUnderWay }) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// Reads the board. Must run on the reactor.
    public func read(_ completion: @escaping (Result<NewsPage, StoreError>) -> Void) {
        redis.send(RedisCommand("GET", key), deadline: NewsBoard.deadline) { result in
            completion(result.map { NewsPage(Array($0.bytes)) }.mapError { StoreError($0) })
        }
    }

    /// Reads the board. Callable from any thread.
    public func read() async throws(StoreError) -> NewsPage {
        NewsPage(try StoreError.unwrap(await redis.call(RedisCommand("GET", key))).bytes ?? [])
    }
}
