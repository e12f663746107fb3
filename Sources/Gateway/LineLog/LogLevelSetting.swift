public import Logging
import Synchronization

/// The least level that is written to a log, for all who write there. From any thread.
public final class LogLevelSetting: Sendable {
    private let index: Atomic<Int>

    /// - Parameter level: the one that holds until another is set.
    public init(_ level: Logger.Level) {
        index = Atomic(LogLevelSetting.index(level))
    }

    /// Whoever logs reads it for each line.
    public var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(LogLevelSetting.index(newValue), ordering: .relaxed) }
    }

    private static func index(_ level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}
