import Encodings
import Foundation
import LiveActivity

/// Records of a CSV (RFC 4180) whose first one names the columns. Empty lines are passed over, and so is a byte order
/// mark. The separator is recognised from the first record unless the map has one.
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
        let header = try CSVSource.header(&self.lines, &number, map)
        grammar = CSVGrammar(delimiter: header.separator)
        columns = header.cells.map {
            String(decoding: $0.bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let names = header.cells.map(\.name).filter { !$0.isEmpty }
        if let twice = Dictionary(grouping: names, by: \.self).first(where: { $1.count > 1 })?.key {
            throw CommandFailure("two columns are named \"\(ImportReport.list([twice]))\"")
        }
        self.map = try map.bound(to: columns)
    }

    private static func header(_ lines: inout LineReader, _ number: inout Int, _ map: ImportMap) throws -> CSVHeader {
        var first = CSVFirstRecord(separators: map.separators)
        var begin = 0
        var isComplete = false
        while !isComplete, let line = try lines.next(number + 1) {
            number += 1
            if first.bytes.isEmpty { begin = number }
            let hasMark = number == 1 && line.starts(with: mark)
            for byte in line.dropFirst(hasMark ? mark.count : 0) + [UInt8(ascii: "\n")] {
                isComplete = first.take(byte)
            }
            guard first.bytes.count <= LineReader.maximumLine else {
                throw CommandFailure("line \(begin): a quote is not closed within one megabyte")
            }
        }
        guard !first.bytes.isEmpty else {
            throw CommandFailure("the first line with the column names is missing")
        }
        do throws(CSVGrammar.Fault) {
            return try CSVHeader(first.bytes, knowing: map.names, separators: first.separators)
        } catch {
            throw CommandFailure("line \(begin): \(error)")
        }
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
                        description: "the record has \(cells.count) cells, but the header has \(columns.count) columns")
                }
                return try ImportRecord.device(map.object(of: cells))
            })
    }

    /// The cells of one record.
    private struct Cells {
        private(set) var complete: [[UInt8]] = []
        private var current: [UInt8] = []
        private var hasQuotes = false

        mutating func take(_ byte: UInt8, _ grammar: inout CSVGrammar) throws(CSVGrammar.Fault) {
            switch try grammar.take(byte) {
            case .nothing: break
            case .content: current.append(byte)
            case .endOfField, .endOfRecord:
                hasQuotes = hasQuotes || grammar.isQuoted
                complete.append(current)
                current.removeAll(keepingCapacity: true)
            }
        }

        /// True for separators and blanks alone, as spreadsheets write empty rows.
        var areEmpty: Bool {
            !hasQuotes && complete.allSatisfy { $0.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
        }
    }

    /// Reads records. A record has one line, or several if a quoted cell has line breaks.
    private struct RecordReader {
        var lines: LineReader
        var grammar: CSVGrammar
        var number = 0

        /// The next record that is not empty, or its fault. After an invalid record, reading continues with the next
        /// line.
        mutating func record() throws -> (line: Int, cells: Result<[[UInt8]], ImportRecord.Refusal>)? {
            var cells = Cells()
            var begin = 0
            var length = 0
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
                    return refused("a quote is not closed within one megabyte")
                }
                do throws(CSVGrammar.Fault) {
                    for byte in line + [UInt8(ascii: "\n")] { try cells.take(byte, &grammar) }
                } catch {
                    grammar = fresh
                    return refused("\(error)")
                }
                guard grammar.isBetweenRecords else { continue }
                if !cells.areEmpty { return (begin, .success(cells.complete)) }
                (cells, begin, length) = (Cells(), 0, 0)
            }
            guard grammar.isBetweenRecords else {
                grammar = fresh
                return refused("\(CSVGrammar.Fault.openQuote)")
            }
            return nil
        }
    }
}
