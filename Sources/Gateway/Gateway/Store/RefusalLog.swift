import Logging
import Reactor
import RedisClient
import TimeCore

/// Writes down what Redis refuses, in its own words: at most once a minute for each kind, with how many were not
/// written.
final class RefusalLog: Sendable {
    private static let interval = TimeInterval.seconds(60)

    private struct Kind {
        var lastLine: MonotonicTime?
        var unwritten = 0
    }

    private let kinds = Locked([Kind](repeating: Kind(), count: RedisRefusal.allCases.count))
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Whether a refusal is to be written, and how many of its kind were not since the last that was.
    func admit(_ kind: RedisRefusal, now: MonotonicTime) -> Int? {
        kinds.withLock { kinds in
            if let last = kinds[kind.rawValue].lastLine, now - last < RefusalLog.interval {
                kinds[kind.rawValue].unwritten += 1
                return nil
            }
            defer { kinds[kind.rawValue] = Kind(lastLine: now) }
            return kinds[kind.rawValue].unwritten
        }
    }

    func refused(_ kind: RedisRefusal, _ words: String) {
        guard let unwritten = admit(kind, now: .now()) else { return }
        var metadata: Logger.Metadata = ["kind": "\(kind)", "redis": "\(words)"]
        if unwritten > 0 { metadata["unwritten"] = "\(unwritten)" }
        logger.error("Redis refused a command", metadata: metadata)
    }
}
