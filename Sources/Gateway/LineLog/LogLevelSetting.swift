public import Logging
import Synchronization

/// The minimum level of a log, shared by its handlers. From any thread.
public final class LogLevelSetting: Sendable {
    private let index: Atomic<Int>

    /// - Parameter level: The initial level.
    public init(_ level: Logger.Level) {
        index = Atomic(LogLevelSetting.index(level))
    }

    /// The minimum level, which handlers read for each line.
    public var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(LogLevelSetting.index(newValue), ordering: .relaxed) }
    }

    private static func index(_ level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}
