import Reactor
import TimeCore

/// What is known of the requests of keys that were used here: when the oldest in the window was made. Of some keys,
/// should there be very many: without it Redis looks. From any thread.
final class RateWindows: Sendable {
    private let oldest = Locked<[String: WallTime]>([:])
    private static let capacity = 10_000

    /// By the key's hash.
    subscript(key: String) -> WallTime? { oldest.withLock { $0[key] } }

    /// - Parameter resetAt: when the oldest leaves the window, in epoch milliseconds.
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
