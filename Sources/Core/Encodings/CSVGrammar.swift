/// A byte-by-byte grammar of CSV (RFC 4180) with any ASCII delimiter. It stores no text; the caller collects the
/// fields.
///
/// Do not use it after a fault.
public struct CSVGrammar: Sendable {
    /// The role of a byte.
    public enum Step: Equatable, Sendable {
        /// Part of the notation.
        case nothing
        /// Part of the field.
        case content
        /// The end of a field that is not the record's last.
        case endOfField
        /// The end of a field and of the record.
        case endOfRecord
    }

    /// A violation of the grammar. Sections are those of RFC 4180.
    public enum Fault: Error, Equatable, Sendable {
        /// A quote in a field that does not begin with one (section 2, rule 5).
        case strayQuote
        /// A closing quote is followed by text other than a delimiter or a line end.
        case textBehindQuote
        /// The text ends inside quotes.
        case openQuote
        /// A carriage return without a line feed, outside quotes.
        case loneCarriageReturn
    }

    private enum State {
        /// At the beginning of a record.
        case start
        /// Inside a field without quotes.
        case plain
        /// After a delimiter.
        case fieldStart
        case quoted
        /// After a quote inside quotes: the end of the field, or the first of a pair.
        case quote
        /// After a carriage return that ends the record.
        case carriageReturn
    }

    /// The byte between fields.
    public let delimiter: UInt8
    private var state = State.start

    /// True if the current field, or the one that has just ended, is quoted.
    public private(set) var isQuoted = false

    /// - Parameter delimiter: The byte between fields; not a quote, carriage return or line feed.
    public init(delimiter: UInt8 = UInt8(ascii: ",")) {
        self.delimiter = delimiter
    }

    /// True if the next byte begins a record.
    public var isBetweenRecords: Bool { state == .start }

    /// Processes the next byte of the text.
    public mutating func take(_ byte: UInt8) throws(Fault) -> Step {
        switch state {
        case .start, .fieldStart:
            isQuoted = byte == UInt8(ascii: "\"")
            state = isQuoted ? .quoted : .plain
            return isQuoted ? .nothing : try takePlain(byte)
        case .plain:
            return try takePlain(byte)
        case .quoted:
            guard byte == UInt8(ascii: "\"") else { return .content }
            state = .quote
            return .nothing
        case .quote:
            switch byte {
            case UInt8(ascii: "\""):
                state = .quoted
                return .content
            case delimiter, UInt8(ascii: "\n"), UInt8(ascii: "\r"): return try takePlain(byte)
            default: throw .textBehindQuote
            }
        case .carriageReturn:
            guard byte == UInt8(ascii: "\n") else { throw .loneCarriageReturn }
            state = .start
            return .endOfRecord
        }
    }

    /// Ends the text. Returns `endOfRecord` for a last record without a line feed, otherwise `nothing`.
    public mutating func finish() throws(Fault) -> Step {
        switch state {
        case .start: return .nothing
        case .quoted: throw .openQuote
        case .carriageReturn: throw .loneCarriageReturn
        case .plain, .fieldStart, .quote:
            if state == .fieldStart { isQuoted = false }
            state = .start
            return .endOfRecord
        }
    }

    private mutating func takePlain(_ byte: UInt8) throws(Fault) -> Step {
        switch byte {
        case delimiter:
            state = .fieldStart
            return .endOfField
        case UInt8(ascii: "\n"):
            state = .start
            return .endOfRecord
        case UInt8(ascii: "\r"):
            state = .carriageReturn
            return .nothing
        case UInt8(ascii: "\""): throw .strayQuote
        default: return .content
        }
    }
}

extension CSVGrammar.Fault: CustomStringConvertible {
    /// A sentence without its full stop.
    public var description: String {
        switch self {
        case .strayQuote: "an unquoted field contains a quote"
        case .textBehindQuote: "a separator or the end of the line must follow the closing quote"
        case .openQuote: "a quote is not closed"
        case .loneCarriageReturn: "a carriage return lacks its line feed"
        }
    }
}
