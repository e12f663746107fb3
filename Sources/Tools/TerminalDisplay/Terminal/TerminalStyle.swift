/// What may be written to an output.
public struct TerminalStyle: Sendable, Equatable {
    /// Lines can be drawn again in place.
    public var isInteractive: Bool
    /// Colours may be used.
    public var usesColor: Bool
    /// More than ASCII may be used.
    public var usesUnicode: Bool
    /// Columns that a line may take.
    public var width: Int

    /// - Parameter width: at least 20 columns are used, however few it says.
    public init(isInteractive: Bool, usesColor: Bool, usesUnicode: Bool, width: Int) {
        self.isInteractive = isInteractive
        self.usesColor = usesColor
        self.usesUnicode = usesUnicode
        self.width = max(20, width)
    }

    /// Plain text of 80 columns, for files and pipes.
    public static let plain = TerminalStyle(isInteractive: false, usesColor: false, usesUnicode: true, width: 80)

    /// The style for an output.
    ///
    /// - Parameters:
    ///   - columns: The terminal's width; nil when the output is none.
    ///   - environment: `NO_COLOR` (no-color.org) and `TERM=dumb` are obeyed; `LC_ALL`, `LC_CTYPE` and `LANG`, the
    ///     first that is set, tell whether text is UTF-8.
    public init(columns: Int?, environment: [String: String]) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let encoding = locale.lowercased()
        let isCapable = columns != nil && environment["TERM"] != "dumb"
        self.init(
            isInteractive: isCapable,
            usesColor: isCapable && (environment["NO_COLOR"] ?? "").isEmpty,
            usesUnicode: encoding.contains("utf-8") || encoding.contains("utf8"),
            width: columns ?? 80)
    }
}
