import Logging
import Reactor
import RedisClient
import TimeCore

/// Logs the commands that Redis refuses, with Redis's error text. It logs each kind at most once a minute, with the
/// number of suppressed refusals.
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

    /// Returns the number of refusals of this kind suppressed since its last line; nil if this one is suppressed too.
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
