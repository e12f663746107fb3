import Foundation
import GatewayConfiguration
import LiveActivity
import Logging
import TimeCore

extension GatewayConfiguration.Log {
    /// A logger on standard error, in the form and from the level configured.
    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { label in
            switch format {
            case .text: StreamLogHandler.standardError(label: label)
            case .json: JSONLogHandler(label: label)
            }
        }
        logger.logLevel = Logger.Level(rawValue: level.rawValue) ?? .info
        return logger
    }
}

/// An object a line, for programs.
struct JSONLogHandler: LogHandler {
    let label: String
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = JSONWriter.object { writer in
            writer.field("time", WallTime.now().rfc3339)
            writer.field("level", event.level.rawValue)
            writer.field("label", label)
            writer.field("message", event.message.description)
            for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }).sorted(by: {
                $0.key < $1.key
            }) {
                writer.field(key, value.description)
            }
        }
        FileHandle.standardError.write(Data(line + [UInt8(ascii: "\n")]))
    }
}
