/// Parses a list of insider_ids that arrives in pieces of any size: CSV (RFC 4180, see `CSVRecords`) or
/// newline-delimited JSON. The result does not depend on the pieces. Blank lines and a byte order mark are ignored. Ids
/// are valid UTF-8 of 1 to `DeviceKey.maximumLength` bytes without zero bytes; duplicates are kept.
///
/// Do not use the parser after an error.
public struct InsiderIDListParser: Sendable {
    /// The format of a list.
    public enum Format: Sendable {
        /// The ids are in the column named `insider_id`, or in the only column.
        case csv
        /// Each line is a string, or an object with a string `insider_id`.
        case jsonLines
    }

    private let format: Format
    private var records = CSVRecords()
    private var lines = JSONLines()
    private var utf8 = UTF8Check()
    private var line = 1
    /// The line in which the current record begins.
    private var recordLine = 1
    /// The received length of a byte order mark; nil after other bytes.
    private var markLength: Int? = 0

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    public init(_ format: Format) {
        self.format = format
    }

    /// Appends the ids of the lines that end in this piece.
    public mutating func parse(
        _ bytes: some Sequence<UInt8>, into run: inout InsiderIDRun
    ) throws(InsiderIDListError) {
        for byte in bytes {
            if markLength != nil { try begin(byte, into: &run) } else { try take(byte, into: &run) }
        }
    }

    /// Ends the list and appends the id of a last line without a line feed.
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

    /// Processes one of the first three bytes, which may be a mark.
    private mutating func begin(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDListError) {
        if let length = markLength, byte == InsiderIDListParser.mark[length] {
            markLength = length + 1 < InsiderIDListParser.mark.count ? length + 1 : nil
        } else {
            try passMark(into: &run)
            try take(byte, into: &run)
        }
    }

    /// Processes the beginning of an incomplete mark as content.
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
