import Reactor
import TimeCore

/// When something is due that this process has written into a due queue: so that its gateway need not ask, and so that
/// others hear of what is due before they would look.
final class DueTimes: Sendable {
    private let earliest = Locked<[Int: Int64]>([:])
    private let news: NewsBoard
    private let wallClock: @Sendable () -> WallTime

    init(_ news: NewsBoard, wallClock: @escaping @Sendable () -> WallTime) {
        self.news = news
        self.wallClock = wallClock
    }

    /// Something of a shard is due at a time (epoch ms). To be called behind the step that has made it so. From any
    /// thread.
    func note(_ shard: Int, at time: Int64) {
        earliest.withLock { $0[shard] = min($0[shard] ?? time, time) }
        if time <= (wallClock() + StoredDueItems.lookedAhead).milliseconds { news.announce(shard) }
    }

    /// The earliest of each shard since this was last called.
    func take() -> [(shard: Int, time: WallTime)] {
        earliest.withLock { earliest in
            guard !earliest.isEmpty else { return [] }
            defer { earliest = [:] }
            return earliest.map { ($0.key, WallTime(milliseconds: $0.value)) }
        }
    }
}
