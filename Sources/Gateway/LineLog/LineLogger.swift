public import Logging

/// Logs the lines that each call has. To put their fields into a dictionary and to read them out of it costs more than
/// all the rest of such a line, so where a `LineLogHandler` makes the lines they are spelled into the line itself; any
/// other handler gets them as metadata.
public struct LineLogger: Sendable {
    private let logger: Logger
    /// Nil: the logger has fields of its own, or another handler.
    private let handler: LineLogHandler?
    private let source: StaticString

    /// - Parameters:
    ///   - logger: where lines go. A level of its own is the one that it has now; one that it shares may change.
    ///   - source: the module that logs.
    public init(_ logger: Logger, source: StaticString) {
        self.logger = logger
        self.source = source
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
        if let handler { return handler.log(level, message, source, fields) }
        guard logger.logLevel <= level else { return }
        var line = LogLine()
        fields(&line)
        logger.log(
            level: level, Logger.Message(stringLiteral: message.description), metadata: line.metadata,
            source: source.description)
    }
}
