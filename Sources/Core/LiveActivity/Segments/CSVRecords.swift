import Encodings

/// Parses the insider_id of each CSV record (RFC 4180), byte by byte. The ids are in the column named `insider_id`, or
/// in the only column of a list without a header. Other columns are checked and ignored. Keeps at most the first
/// record, and then one field of the longest insider_id.
struct CSVRecords {
    /// The first record until it is complete, then nil.
    private var first: CSVFirstRecord? = CSVFirstRecord()
    private var grammar = CSVGrammar()
    /// The number of columns, and the index of the ids' column.
    private var (columns, idColumn) = (1, 0)
    private var column = 0
    private var field: [UInt8] = []
    private var isBlank = true
    private var hasIDs = false

    private static let name = "insider_id"
    private static let longestHeader = 65_536

    /// True if the next byte begins a record.
    var isBetweenRecords: Bool { first?.bytes.isEmpty ?? grammar.isBetweenRecords }

    mutating func take(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        guard first == nil else { return try takeFirst(byte, into: &run) }
        let step: CSVGrammar.Step
        do throws(CSVGrammar.Fault) {
            step = try grammar.take(byte)
        } catch {
            throw InsiderIDFailure(.csv(error))
        }
        switch step {
        case .nothing: break
        case .content: try keep(byte)
        case .endOfField: endField()
        case .endOfRecord: try endRecord(into: &run)
        }
    }

    mutating func finish(into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        if let first, !first.bytes.isEmpty, !first.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            try begin(first, into: &run)
        }
        let step: CSVGrammar.Step
        do throws(CSVGrammar.Fault) {
            step = try grammar.finish()
        } catch {
            throw InsiderIDFailure(.csv(error))
        }
        if step == .endOfRecord { try endRecord(into: &run) }
        guard hasIDs else { throw InsiderIDFailure(.noUsers) }
    }

    private mutating func takeFirst(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        guard first?.take(byte) == true, let complete = first else {
            guard (first?.bytes.count ?? 0) <= CSVRecords.longestHeader else {
                throw InsiderIDFailure(.longLine(maximum: CSVRecords.longestHeader))
            }
            return
        }
        try begin(complete, into: &run)
    }

    /// Processes the first record: a header, or the first id of a list without one.
    private mutating func begin(_ first: CSVFirstRecord, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        let header: CSVHeader
        do throws(CSVGrammar.Fault) {
            header = try CSVHeader(first.bytes, knowing: [CSVRecords.name], separators: first.separators)
        } catch {
            throw InsiderIDFailure(.csv(error))
        }
        self.first = nil
        grammar = CSVGrammar(delimiter: header.separator)
        columns = header.cells.count
        let named = header.columns(named: CSVRecords.name)
        guard named.isEmpty else {
            guard named.count == 1 else { throw InsiderIDFailure(.columnTwice) }
            idColumn = named[0]
            return
        }
        if let near = header.cells.first(where: { CSVRecords.isNear($0.name) }) {
            throw InsiderIDFailure(.misnamedColumn(near.name))
        }
        guard columns == 1 else { throw InsiderIDFailure(.noColumn(columns)) }
        let id = header.cells[0].bytes
        try append(id, to: &run)
    }

    private mutating func append(_ id: [UInt8], to run: inout InsiderIDRun) throws(InsiderIDFailure) {
        guard !id.isEmpty else { throw InsiderIDFailure(.emptyID) }
        guard id.count <= DeviceKey.maximumLength else { throw InsiderIDFailure(.longID) }
        guard !DeviceKey.isDotSegment(id) else { throw InsiderIDFailure(.dotSegment) }
        run.append(id)
        hasIDs = true
    }

    /// True for similar column names, for example `Insider ID` or `insiderId`, which cannot be a user's id.
    private static func isNear(_ name: String) -> Bool {
        name.count <= 16 && name.filter(\.isLetter) == "insiderid" && name.allSatisfy { !$0.isNumber }
    }

    private mutating func keep(_ byte: UInt8) throws(InsiderIDFailure) {
        if byte != 0x20, byte != 0x09 { isBlank = false }
        guard column == idColumn else { return }
        guard field.count < DeviceKey.maximumLength else { throw InsiderIDFailure(.longID) }
        field.append(byte)
    }

    private mutating func endField() {
        if grammar.isQuoted { isBlank = false }
        column += 1
    }

    private mutating func endRecord(into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        endField()
        // Spreadsheets write empty rows as separators alone.
        if !isBlank {
            guard column == columns else { throw InsiderIDFailure(.cells(column, columns: columns)) }
            try append(field, to: &run)
        }
        field.removeAll(keepingCapacity: true)
        (column, isBlank) = (0, true)
    }
}
