import Reactor
import TimeCore

/// The time of the oldest request in the rate window of each key used here. The cache saves Redis a search and may lack
/// keys. Callable from any thread.
final class RateWindows: Sendable {
    private let oldest = Locked<[String: WallTime]>([:])
    private static let capacity = 10_000

    /// The time for a key's hash; nil if it is not known.
    subscript(key: String) -> WallTime? { oldest.withLock { $0[key] } }

    /// Caches the oldest request's time.
    /// - Parameter resetAt: The epoch milliseconds at which the oldest request leaves the window.
    func learned(_ resetAt: Int64, _ window: TimeInterval, of key: String) {
        oldest.withLock { known in
            if known.count >= RateWindows.capacity { known.removeAll() }
            known[key] = WallTime(milliseconds: resetAt - window.wholeMilliseconds)
        }
    }
}

extension TimeInterval {
    var wholeMilliseconds: Int64 { Int64(clamping: nanoseconds / 1_000_000) }
}
