import Reactor
import RedisClient
import TimeCore

/// Where gateways tell each other that there is something new in one of many places, so that none of them has to look
/// at all places all the time: one string, read with one command. It is a hint that may be lost: whoever relies on it
/// looks at all places now and then.
public final class NewsBoard: Sendable {
    /// How many places there are.
    public let places: Int
    private let redis: RedisClient
    private let key: String
    private let writing = Locked(Writing())

    private struct Writing {
        var waiting: Set<Int> = []
        var isUnderWay = false
    }

    /// What is announced while others are being told is told together, after this.
    private static let pause = Duration.milliseconds(20)
    /// One node that is away must not keep news of the others' shards.
    private static let deadline = TimeInterval.milliseconds(500)

    init(_ redis: RedisClient, key: String, places: Int) {
        self.redis = redis
        self.key = key
        self.places = places
    }

    /// Which of the places is that of a name, which shares it with others.
    public func place(of name: String) -> Int {
        // FNV-1a: all gateways must agree.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int((hash ^ hash >> 32) % UInt64(places))
    }

    /// Tells all gateways that there is something new in a place. To be called behind the step that made it so, as
    /// whoever hears of it looks at once. Returns before it is told. From any thread.
    public func announce(_ place: Int) {
        let isUnderWay = writing.withLock { writing in
            writing.waiting.insert(place)
            defer { writing.isUnderWay = true }
            return writing.isUnderWay
        }
        guard !isUnderWay else { return }
        Task { await tell() }
    }

    /// What cannot be told is found by those who look at all places.
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

    /// Returns when what was announced is told, or cannot be. To be called before the client is shut down.
    public func flush() async {
        while writing.withLock({ $0.isUnderWay }) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// What the board says now. On the reactor.
    public func read(_ completion: @escaping (Result<NewsPage, StoreError>) -> Void) {
        redis.send(RedisCommand("GET", key), deadline: NewsBoard.deadline) { result in
            completion(result.map { NewsPage(Array($0.bytes)) }.mapError { StoreError($0) })
        }
    }

    /// The same, from any thread.
    public func read() async throws(StoreError) -> NewsPage {
        NewsPage(try StoreError.unwrap(await redis.call(RedisCommand("GET", key))).bytes ?? [])
    }
}
