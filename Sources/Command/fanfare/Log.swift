import Foundation
import Gateway
import GatewayConfiguration
import Logging

extension GatewayConfiguration.Log {
    /// A logger on standard error, in the form and from the level configured.
    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { label in
            switch format {
            case .text: StreamLogHandler.standardError(label: label)
            case .json: JSONLogHandler(label: label) { FileHandle.standardError.write(Data($0)) }
            }
        }
        logger.logLevel = Logger.Level(rawValue: level.rawValue) ?? .info
        return logger
    }
}
