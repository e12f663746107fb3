import Encodings

/// Reads the first field of each record of a CSV (RFC 4180), byte by byte. The other fields are checked and passed over.
/// Keeps at most one field of the longest insider_id.
struct CSVRecords {
    private var grammar = CSVGrammar()
    private var column = 0
    private var field: [UInt8] = []
    private var wasQuoted = false
    private var isFirstRecord = true

    /// A first record that says just this in its first field is a header.
    private static let header = Array("insider_id".utf8)

    /// Whether the next byte begins a record.
    var isBetweenRecords: Bool { grammar.isBetweenRecords }

    mutating func take(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
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
        do throws(CSVGrammar.Fault) {
            guard try grammar.finish() == .endOfRecord else { return }
        } catch {
            throw InsiderIDFailure(.csv(error))
        }
        try endRecord(into: &run)
    }

    private mutating func keep(_ byte: UInt8) throws(InsiderIDFailure) {
        guard column == 0 else { return }
        guard field.count < DeviceKey.maximumLength else { throw InsiderIDFailure(.longID) }
        field.append(byte)
    }

    private mutating func endField() {
        if column == 0 { wasQuoted = grammar.isQuoted }
        column += 1
    }

    private mutating func endRecord(into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        endField()
        let isBlank =
            column == 1 && !wasQuoted && field.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if !isBlank {
            guard !field.isEmpty else { throw InsiderIDFailure(.emptyID) }
            if !isFirstRecord || field != CSVRecords.header { run.append(field) }
            isFirstRecord = false
        }
        field.removeAll(keepingCapacity: true)
        column = 0
    }
}
