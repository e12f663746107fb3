/// Reads the first field of each record of a CSV (RFC 4180), byte by byte. The other fields are checked and passed over.
/// Keeps at most one field of the longest insider_id.
struct CSVRecords {
    private enum State {
        /// Nothing of the record has come.
        case start
        /// Inside a field without quotes.
        case plain
        /// Behind a comma.
        case fieldStart
        case quoted
        /// Behind a quote inside quotes: the end of the field, or the first of a pair.
        case quote
        /// Behind a carriage return that ends the record.
        case carriageReturn
    }

    private var state = State.start
    private var column = 0
    private var field: [UInt8] = []
    private var wasQuoted = false
    private var isFirstRecord = true

    /// A first record that says just this in its first field is a header.
    private static let header = Array("insider_id".utf8)

    /// Whether the next byte begins a record.
    var isBetweenRecords: Bool { state == .start }

    mutating func take(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        switch state {
        case .start, .fieldStart:
            switch byte {
            case UInt8(ascii: "\""):
                state = .quoted
                if column == 0 { wasQuoted = true }
            default:
                state = .plain
                try takePlain(byte, into: &run)
            }
        case .plain:
            try takePlain(byte, into: &run)
        case .quoted:
            if byte == UInt8(ascii: "\"") { state = .quote } else { try keep(byte) }
        case .quote:
            switch byte {
            case UInt8(ascii: "\""):
                state = .quoted
                try keep(byte)
            case UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"): try takePlain(byte, into: &run)
            default: throw InsiderIDFailure(.textBehindQuote)
            }
        case .carriageReturn:
            guard byte == UInt8(ascii: "\n") else { throw InsiderIDFailure(.loneCarriageReturn) }
            try endRecord(into: &run)
        }
    }

    mutating func finish(into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        switch state {
        case .start: break
        case .quoted: throw InsiderIDFailure(.openQuote)
        case .carriageReturn: throw InsiderIDFailure(.loneCarriageReturn)
        case .plain, .fieldStart, .quote: try endRecord(into: &run)
        }
    }

    private mutating func takePlain(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        switch byte {
        case UInt8(ascii: ","):
            column += 1
            state = .fieldStart
        case UInt8(ascii: "\n"): try endRecord(into: &run)
        case UInt8(ascii: "\r"): state = .carriageReturn
        case UInt8(ascii: "\""): throw InsiderIDFailure(.strayQuote)
        default: try keep(byte)
        }
    }

    private mutating func keep(_ byte: UInt8) throws(InsiderIDFailure) {
        guard column == 0 else { return }
        guard field.count < DeviceKey.maximumLength else { throw InsiderIDFailure(.longID) }
        field.append(byte)
    }

    private mutating func endRecord(into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        let isBlank =
            column == 0 && !wasQuoted && field.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if !isBlank {
            guard !field.isEmpty else { throw InsiderIDFailure(.emptyID) }
            if !isFirstRecord || field != CSVRecords.header { run.append(field) }
            isFirstRecord = false
        }
        field.removeAll(keepingCapacity: true)
        column = 0
        wasQuoted = false
        state = .start
    }
}
