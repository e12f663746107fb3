/// Takes a list of insider_ids apart that comes in pieces of any size: CSV (RFC 4180, see `CSVRecords`) or
/// newline-delimited JSON. How it is cut makes no difference to what is read. Lines that are empty, or all blanks, are
/// passed over; so is a byte order mark. Ids are valid UTF-8 of 1 to `DeviceKey.maximumLength` bytes without zero
/// bytes; one that comes twice is read twice.
///
/// After an error the parser is not to be used any more.
public struct InsiderIDListParser: Sendable {
    /// How a list is written.
    public enum Format: Sendable {
        /// The column that the first record calls `insider_id`, or the only column.
        case csv
        /// Each line a string, or an object with a string `insider_id`.
        case jsonLines
    }

    private let format: Format
    private var records = CSVRecords()
    private var lines = JSONLines()
    private var utf8 = UTF8Check()
    private var line = 1
    /// The line that the record begins in.
    private var recordLine = 1
    /// How many bytes of a byte order mark have come; nil once something else has.
    private var markLength: Int? = 0

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    public init(_ format: Format) {
        self.format = format
    }

    /// Adds the ids of the lines that end in this piece.
    public mutating func parse(
        _ bytes: some Sequence<UInt8>, into run: inout InsiderIDRun
    ) throws(InsiderIDListError) {
        for byte in bytes {
            if markLength != nil { try begin(byte, into: &run) } else { try take(byte, into: &run) }
        }
    }

    /// The list has ended: adds the id of a last line without a line feed.
    public mutating func finish(into run: inout InsiderIDRun) throws(InsiderIDListError) {
        try passMark(into: &run)
        guard utf8.isComplete else { throw InsiderIDListError(line: recordLine, reason: .invalidUTF8) }
        do throws(InsiderIDFailure) {
            switch format {
            case .csv: try records.finish(into: &run)
            case .jsonLines: try lines.finish(into: &run)
            }
        } catch {
            throw InsiderIDListError(line: recordLine, reason: error.reason)
        }
    }

    /// Takes one of the first three bytes, which may be a mark.
    private mutating func begin(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDListError) {
        if let length = markLength, byte == InsiderIDListParser.mark[length] {
            markLength = length + 1 < InsiderIDListParser.mark.count ? length + 1 : nil
        } else {
            try passMark(into: &run)
            try take(byte, into: &run)
        }
    }

    /// What looked like a mark is content.
    private mutating func passMark(into run: inout InsiderIDRun) throws(InsiderIDListError) {
        guard let length = markLength else { return }
        markLength = nil
        for byte in InsiderIDListParser.mark[..<length] { try take(byte, into: &run) }
    }

    private mutating func take(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDListError) {
        guard utf8.accepts(byte) else { throw InsiderIDListError(line: recordLine, reason: .invalidUTF8) }
        guard byte != 0 else { throw InsiderIDListError(line: recordLine, reason: .zeroByte) }
        do throws(InsiderIDFailure) {
            switch format {
            case .csv: try records.take(byte, into: &run)
            case .jsonLines: try lines.take(byte, into: &run)
            }
        } catch {
            throw InsiderIDListError(line: recordLine, reason: error.reason)
        }
        guard byte == UInt8(ascii: "\n") else { return }
        line += 1
        if format == .jsonLines || records.isBetweenRecords { recordLine = line }
    }
}
