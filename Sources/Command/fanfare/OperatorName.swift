import Foundation

/// The user who runs a command.
enum OperatorName {
    /// Behind sudo the one who called it.
    static var current: String {
        let environment = ProcessInfo.processInfo.environment
        return environment["SUDO_USER"].flatMap { $0.isEmpty ? nil : $0 } ?? NSUserName()
    }
}
