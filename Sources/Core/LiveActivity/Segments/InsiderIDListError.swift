/// The line of an uploaded list that breaks it. Carries nothing of what the line says, so it is safe to log and to send
/// back.
public struct InsiderIDListError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Counted from 1 by line feeds. For a record of several lines it is the one that it begins in.
    public let line: Int
    /// What is wrong there.
    public let reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// What is wrong. Sections of CSV are those of RFC 4180.
    public enum Reason: Equatable, Sendable {
        case emptyID
        /// Longer than `DeviceKey.maximumLength`.
        case longID
        case zeroByte
        case invalidUTF8
        /// A quote in a field that does not begin with one (section 2, rule 5).
        case strayQuote
        /// Something other than a comma or the end of the line behind a closing quote.
        case textBehindQuote
        /// The list ends inside quotes.
        case openQuote
        /// A carriage return without a line feed, outside quotes.
        case loneCarriageReturn
        /// A line of more than this many bytes.
        case longLine(maximum: Int)
        case json(JSONSyntaxError)
        /// JSON that is neither a string nor an object with the member `insider_id`, a string.
        case noID
    }

    public var description: String { "line \(line): \(reason)" }
}

extension InsiderIDListError.Reason: CustomStringConvertible {
    /// A plain sentence without its full stop.
    public var description: String {
        switch self {
        case .emptyID: "the insider_id is empty"
        case .longID: "the insider_id is longer than \(DeviceKey.maximumLength) bytes"
        case .zeroByte: "there is a zero byte"
        case .invalidUTF8: "the bytes are not valid UTF-8"
        case .strayQuote: "a quote stands inside a field that does not begin with one"
        case .textBehindQuote: "a comma or the end of the line is expected behind the closing quote"
        case .openQuote: "a quote is opened and never closed"
        case .loneCarriageReturn: "a carriage return stands without a line feed"
        case .longLine(let maximum): "the line is longer than \(maximum) bytes"
        case .json(let error): "this is not valid JSON: \(error)"
        case .noID: "a string is expected, or an object with a string insider_id"
        }
    }
}
