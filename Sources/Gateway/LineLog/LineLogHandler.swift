public import Logging
public import Reactor

/// A log handler that formats each event as a line and passes it on.
public struct LineLogHandler: LogHandler {
    /// The label of the part that logs, which each line contains.
    public let label: String
    /// The minimum level that is written. All handlers with the same setting share it, until it is set here.
    public var logLevel: Logger.Level {
        get { own ?? shared.level }
        set { own = newValue }
    }
    private let shared: LogLevelSetting
    private var own: Logger.Level?
    /// The fields of each line. The provider's fields take precedence over them, and the line's fields over both.
    public var metadata: Logger.Metadata = [:]
    /// The provider of further fields for each line; nil for none.
    public var metadataProvider: Logger.MetadataProvider?
    private let form: LogForm
    private let output: @Sendable ([UInt8], Logger.Level) -> Void

    /// - Parameters:
    ///   - level: The minimum level that is written, which may change at any time.
    ///   - output: Gets each line with its line feed, on the thread that logs.
    public init(
        label: String, form: LogForm, level: LogLevelSetting = LogLevelSetting(.info),
        output: @escaping @Sendable ([UInt8], Logger.Level) -> Void
    ) {
        shared = level
        self.label = label
        self.form = form
        self.output = output
    }

    /// A handler whose lines `writer` writes: warnings at once, and errors before the call returns.
    /// - Parameter isJournal: True if systemd's journal reads the lines. Each line then starts with its priority.
    public init(
        label: String, form: LogForm, level: LogLevelSetting = LogLevelSetting(.info), writer: LogWriter,
        isJournal: Bool = false
    ) {
        self.init(label: label, form: form, level: level) { line, level in
            let line = isJournal ? SystemdJournal.priority(level) + line : line
            writer.write(line, level >= .error ? .awaited : level >= .warning ? .prompt : .delayed)
        }
    }

    /// A field of `metadata`.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Formats one line and passes it on.
    func log(_ level: Logger.Level, _ message: StaticString, _ fields: (inout LogLine) -> Void) {
        guard logLevel <= level else { return }
        var line = LogLine(form, level, label, message)
        fields(&line)
        output(line.end(), level)
    }

    /// Formats one event and passes it on.
    public func log(event: LogEvent) {
        let fields = form.fields(metadata, metadataProvider?.get(), event.metadata, event.error)
        output(form.line(event.level, label, event.message.description, fields), event.level)
    }
}
