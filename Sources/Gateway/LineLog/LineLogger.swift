public import Logging

/// Logs the lines that each call has. To put their fields into a dictionary and to read them out of it costs more than
/// all the rest of such a line, so where a `LineLogHandler` makes the lines they are spelled into the line itself; any
/// other handler gets them as metadata.
public struct LineLogger: Sendable {
    private let logger: Logger
    /// Nil: the logger has fields of its own, or another handler.
    private let handler: LineLogHandler?

    /// - Parameter logger: The destination. If its level is its own, the present value counts; a shared one may change.
    public init(_ logger: Logger) {
        self.logger = logger
        let handler = logger.handler as? LineLogHandler
        self.handler = handler?.metadata.isEmpty == true && handler?.metadataProvider == nil ? handler : nil
    }

    /// Whether lines of this level are written now.
    public func writes(_ level: Logger.Level) -> Bool { (handler?.logLevel ?? logger.logLevel) <= level }

    /// Logs a line if its level is written.
    /// - Parameters:
    ///   - message: ASCII with nothing in it that JSON or a terminal reads in a way of its own.
    ///   - fields: adds the line's fields; not called when nothing is written.
    public func log(_ level: Logger.Level, _ message: StaticString, _ fields: (inout LogLine) -> Void) {
        if let handler { return handler.log(level, message, fields) }
        guard logger.logLevel <= level else { return }
        var line = LogLine()
        fields(&line)
        logger.log(level: level, Logger.Message(stringLiteral: message.description), metadata: line.metadata)
    }
}
