/// The grammar of CSV (RFC 4180), byte by byte, with any ASCII character between fields. It keeps nothing: what belongs
/// to a field is for whoever asks.
///
/// After a fault it is not to be used any more.
public struct CSVGrammar: Sendable {
    /// What a byte comes to.
    public enum Step: Equatable, Sendable {
        /// It is part of the notation.
        case nothing
        /// It is part of the field.
        case content
        /// It ends a field, behind which another one of the record follows.
        case endOfField
        /// It ends a field and the record.
        case endOfRecord
    }

    /// How it is no CSV. Sections are those of RFC 4180.
    public enum Fault: Error, Equatable, Sendable {
        /// A quote in a field that does not begin with one (section 2, rule 5).
        case strayQuote
        /// Something other than a delimiter or the end of the line behind a closing quote.
        case textBehindQuote
        /// The text ends inside quotes.
        case openQuote
        /// A carriage return without a line feed, outside quotes.
        case loneCarriageReturn
    }

    private enum State {
        /// Nothing of the record has come.
        case start
        /// Inside a field without quotes.
        case plain
        /// Behind a delimiter.
        case fieldStart
        case quoted
        /// Behind a quote inside quotes: the end of the field, or the first of a pair.
        case quote
        /// Behind a carriage return that ends the record.
        case carriageReturn
    }

    /// What stands between fields.
    public let delimiter: UInt8
    private var state = State.start

    /// Whether the field that is being read, or the one that has just ended, stands in quotes.
    public private(set) var isQuoted = false

    /// - Parameter delimiter: what stands between fields: no quote, carriage return or line feed.
    public init(delimiter: UInt8 = UInt8(ascii: ",")) {
        self.delimiter = delimiter
    }

    /// Whether the next byte begins a record.
    public var isBetweenRecords: Bool { state == .start }

    /// Takes the next byte of the text.
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

    /// The text has ended: `endOfRecord` for a last record without a line feed, else `nothing`.
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
    /// A plain sentence without its full stop.
    public var description: String {
        switch self {
        case .strayQuote: "an unquoted field contains a quote"
        case .textBehindQuote: "a separator or the end of the line must follow the closing quote"
        case .openQuote: "a quote is not closed"
        case .loneCarriageReturn: "a carriage return lacks its line feed"
        }
    }
}
