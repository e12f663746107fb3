import Encodings
import LiveActivity

/// Records of a CSV (RFC 4180) whose first one names the columns. Empty lines are passed over, and so is a byte order mark.
struct CSVSource: ImportSource {
    private var lines: LineReader
    private var grammar: CSVGrammar
    private var number = 0
    private let columns: [String]
    private let map: ImportMap.Bound

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads the names of the columns. Throws when there are none, or when `map` wants one that is not there.
    init(_ lines: LineReader, _ map: ImportMap) throws {
        self.lines = lines
        grammar = CSVGrammar(delimiter: map.delimiter)
        var reader = RecordReader(lines: lines, grammar: grammar)
        guard let (line, first) = try reader.record(skippingMark: true) else {
            throw CommandFailure("there is no first line with the names of the columns")
        }
        let cells: [[UInt8]]
        do throws(ImportRecord.Refusal) {
            cells = try first.get()
        } catch {
            throw CommandFailure("line \(line): \(error)")
        }
        columns = cells.map { String(decoding: $0, as: UTF8.self) }
        if let twice = Dictionary(grouping: columns, by: \.self).first(where: { $1.count > 1 })?.key {
            throw CommandFailure("two columns are called \"\(ImportReport.list([twice]))\"")
        }
        self.map = try map.bound(to: columns)
        (self.lines, grammar, number) = (reader.lines, reader.grammar, reader.number)
    }

    var bytesRead: Int { lines.bytesRead }
    var size: Int { lines.size }
    var unusedColumns: [String] {
        columns.enumerated().filter { !map.uses($0.offset) }.map(\.element)
    }

    mutating func next() throws -> ImportRecord? {
        var reading = RecordReader(lines: lines, grammar: grammar, number: number)
        defer { (lines, grammar, number) = (reading.lines, reading.grammar, reading.number) }
        guard let (line, found) = try reading.record() else { return nil }
        return ImportRecord(
            line: line,
            device: Result { () throws(ImportRecord.Refusal) in
                let cells = try found.get()
                guard cells.count == columns.count else {
                    throw ImportRecord.Refusal(
                        description: "it has \(cells.count) cells, and there are \(columns.count) columns")
                }
                return try ImportRecord.device(map.object(of: cells))
            })
    }

    /// What reads a record, whose lines are one or, within quotes, several.
    private struct RecordReader {
        var lines: LineReader
        var grammar: CSVGrammar
        var number = 0

        /// The next record that is not empty, or what is wrong with it; behind one that is no CSV it goes on with the next line.
        mutating func record(skippingMark: Bool = false) throws -> (
            line: Int, cells: Result<[[UInt8]], ImportRecord.Refusal>
        )? {
            var cells: [[UInt8]] = []
            var cell: [UInt8] = []
            var begin = 0
            var length = 0
            var wasQuoted = false
            func refused(_ reason: String) -> (line: Int, cells: Result<[[UInt8]], ImportRecord.Refusal>) {
                (begin, .failure(ImportRecord.Refusal(description: reason)))
            }
            let fresh = CSVGrammar(delimiter: grammar.delimiter)
            while let line = try lines.next(number + 1) {
                number += 1
                if begin == 0 { begin = number }
                length += line.count
                guard length <= LineReader.maximumLine else {
                    grammar = fresh
                    return refused("a quote is opened, and a megabyte later not closed")
                }
                let hasMark = skippingMark && number == 1 && line.starts(with: CSVSource.mark)
                for byte in line.dropFirst(hasMark ? CSVSource.mark.count : 0) + [UInt8(ascii: "\n")] {
                    let step: CSVGrammar.Step
                    do throws(CSVGrammar.Fault) {
                        step = try grammar.take(byte)
                    } catch {
                        grammar = fresh
                        return refused("\(error)")
                    }
                    switch step {
                    case .nothing: break
                    case .content: cell.append(byte)
                    case .endOfField, .endOfRecord:
                        wasQuoted = wasQuoted || grammar.isQuoted
                        cells.append(cell)
                        cell.removeAll(keepingCapacity: true)
                    }
                }
                guard grammar.isBetweenRecords else { continue }
                if cells.count > 1 || wasQuoted || cells.first?.contains(where: { $0 != 0x20 && $0 != 0x09 }) == true {
                    return (begin, .success(cells))
                }
                cells.removeAll()
                (begin, length) = (0, 0)
            }
            guard grammar.isBetweenRecords else {
                grammar = fresh
                return refused("\(CSVGrammar.Fault.openQuote)")
            }
            return nil
        }
    }
}
