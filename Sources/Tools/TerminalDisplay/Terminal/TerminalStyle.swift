/// The capabilities of an output.
public struct TerminalStyle: Sendable, Equatable {
    /// True if lines can be redrawn in place.
    public var isInteractive: Bool
    /// True if colors may be used.
    public var usesColor: Bool
    /// True if characters beyond ASCII may be used.
    public var usesUnicode: Bool
    /// The maximum width of a line in columns.
    public var width: Int

    /// - Parameter width: The width in columns. Values below 20 are raised to 20.
    public init(isInteractive: Bool, usesColor: Bool, usesUnicode: Bool, width: Int) {
        self.isInteractive = isInteractive
        self.usesColor = usesColor
        self.usesUnicode = usesUnicode
        self.width = max(20, width)
    }

    /// The style of files and pipes: plain text of 80 columns.
    public static let plain = TerminalStyle(isInteractive: false, usesColor: false, usesUnicode: true, width: 80)

    /// Detects the style of an output.
    ///
    /// - Parameters:
    ///   - columns: The width of the terminal; nil if the output is not a terminal.
    ///   - environment: `NO_COLOR` (no-color.org) and `TERM=dumb` are respected. The first nonempty value of `LC_ALL`,
    ///     `LC_CTYPE` and `LANG` determines whether text is UTF-8.
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
