public import Logging

/// A logger for frequent lines. A `LineLogHandler` gets the fields directly in the line, because a dictionary would
/// cost more than the rest of the line. Other handlers get them as metadata.
public struct LineLogger: Sendable {
    private let logger: Logger
    /// The handler; nil for a logger with its own fields, or with a handler of another type.
    private let handler: LineLogHandler?

    /// - Parameter logger: The destination. If its level is its own, the present value counts; a shared one may change.
    public init(_ logger: Logger) {
        self.logger = logger
        let handler = logger.handler as? LineLogHandler
        self.handler = handler?.metadata.isEmpty == true && handler?.metadataProvider == nil ? handler : nil
    }

    /// True if lines of this level are written now.
    public func writes(_ level: Logger.Level) -> Bool { (handler?.logLevel ?? logger.logLevel) <= level }

    /// Logs a line if its level is written.
    /// - Parameters:
    ///   - message: ASCII without characters that are special in JSON or on a terminal.
    ///   - fields: Adds the line's fields. Not called if nothing is written.
    public func log(_ level: Logger.Level, _ message: StaticString, _ fields: (inout LogLine) -> Void) {
        if let handler { return handler.log(level, message, fields) }
        guard logger.logLevel <= level else { return }
        var line = LogLine()
        fields(&line)
        logger.log(level: level, Logger.Message(stringLiteral: message.description), metadata: line.metadata)
    }
}
