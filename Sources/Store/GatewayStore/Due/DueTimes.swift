import Reactor
import TimeCore

/// The due times that this process has written. They save its gateway a read, and news of near ones reaches other
/// gateways before they poll.
final class DueTimes: Sendable {
    private let earliest = Locked<[Int: Int64]>([:])
    private let news: NewsBoard
    private let wallClock: @Sendable () -> WallTime

    init(_ news: NewsBoard, wallClock: @escaping @Sendable () -> WallTime) {
        self.news = news
        self.wallClock = wallClock
    }

    /// Records a due time of a shard in epoch ms. Must be called after the write. Callable from any thread.
    func note(_ shard: Int, at time: Int64) {
        earliest.withLock { $0[shard] = min($0[shard] ?? time, time) }
        if time <= (wallClock() + StoredDueItems.lookedAhead).milliseconds { news.announce(shard) }
    }

    /// Returns the earliest due time of each shard since the last call.
    func take() -> [(shard: Int, time: WallTime)] {
        earliest.withLock { earliest in
            guard !earliest.isEmpty else { return [] }
            defer { earliest = [:] }
            return earliest.map { ($0.key, WallTime(milliseconds: $0.value)) }
        }
    }
}
