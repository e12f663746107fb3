import Foundation
import GatewayConfiguration
import LineLog
import Logging
import Reactor

extension GatewayConfiguration.Log {
    /// The level configured.
    var loggerLevel: Logger.Level { Logger.Level(rawValue: level.rawValue) ?? .info }

    /// A logger on standard error, in the form and from the level configured.
    /// - Parameter level: what the level is read from, where it may change.
    func logger(_ label: String, level: LogLevelSetting? = nil) -> Logger {
        let form: LogForm =
            switch format {
            case .text: .text
            case .json: .json
            }
        let isJournal = SystemdJournal.isStream(
            STDERR_FILENO, name: ProcessInfo.processInfo.environment["JOURNAL_STREAM"])
        let writer = StandardErrorLog.writer(form, isJournal: isJournal)
        let level = level ?? LogLevelSetting(loggerLevel)
        return Logger(label: label) {
            LineLogHandler(label: $0, form: form, level: level, writer: writer, isJournal: isJournal)
        }
    }
}

/// The log of this process.
enum StandardErrorLog {
    private static let made = Locked<LogWriter?>(nil)

    /// The one writer, made when something is logged for the first time. What was logged is written when the process
    /// ends.
    static func writer(_ form: LogForm, isJournal: Bool) -> LogWriter {
        made.withLock { made in
            if let made { return made }
            atexit { StandardErrorLog.flush() }
            let writer = LogWriter { form.lineOfDropped($0, label: "fanfare", isJournal: isJournal) }
            made = writer
            return writer
        }
    }

    /// Returns when everything that was logged is written, at the latest after a second: standard error may hang.
    static func flush() {
        made.withLock { $0 }?.flush()
    }
}
