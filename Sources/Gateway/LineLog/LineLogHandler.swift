public import Logging
public import Reactor

/// Makes a line of whatever is logged, and hands it on.
public struct LineLogHandler: LogHandler {
    /// Which part logs; stands in each line.
    public let label: String
    /// The least level that is written: that of all handlers with the same setting, until another one is set here.
    public var logLevel: Logger.Level {
        get { own ?? shared.level }
        set { own = newValue }
    }
    private let shared: LogLevelSetting
    private var own: Logger.Level?
    /// Fields that each line has. Those of the provider go over them, and those of the line over both.
    public var metadata: Logger.Metadata = [:]
    /// Asked for further fields at each line; nil for none.
    public var metadataProvider: Logger.MetadataProvider?
    private let form: LogForm
    private let output: @Sendable ([UInt8], Logger.Level) -> Void

    /// - Parameters:
    ///   - level: the least level that is written; it may be changed while lines are logged.
    ///   - output: gets each line with its line feed at the end, on the thread that logs.
    public init(
        label: String, form: LogForm, level: LogLevelSetting = LogLevelSetting(.info),
        output: @escaping @Sendable ([UInt8], Logger.Level) -> Void
    ) {
        shared = level
        self.label = label
        self.form = form
        self.output = output
    }

    /// Its lines are written by `writer`: warnings at once, and errors before the call returns.
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

    /// Spells one line, and hands it on.
    func log(_ level: Logger.Level, _ message: StaticString, _ fields: (inout LogLine) -> Void) {
        guard logLevel <= level else { return }
        var line = LogLine(form, level, label, message)
        fields(&line)
        output(line.end(), level)
    }

    /// Hands one line on.
    public func log(event: LogEvent) {
        let fields = form.fields(metadata, metadataProvider?.get(), event.metadata, event.error)
        output(form.line(event.level, label, event.message.description, fields), event.level)
    }
}
