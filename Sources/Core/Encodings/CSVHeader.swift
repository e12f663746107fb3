/// The first record of a CSV: its separator and its cells.
///
/// SwiftCSV (0.10.0) does not fit uploads of any length. It takes a CSV as one `String`, trims the fields, and names no
/// line of a fault. Together with `CSVGrammar`, this type reads a stream of bytes in constant memory.
public struct CSVHeader: Sendable {
    /// A field of the record.
    public struct Cell: Sendable {
        /// The field without its quotes.
        public var bytes: [UInt8] = []
        /// True if the field is quoted.
        public var isQuoted = false

        /// The field as the name of a column: without blanks around it, in lower case.
        public var name: String {
            let text = String(decoding: bytes, as: UTF8.self)
            let blanks = { (character: Character) in character.isWhitespace || character == "\u{FEFF}" }
            let end = text.lastIndex { !blanks($0) }.map(text.index(after:)) ?? text.startIndex
            return text[..<end].drop(while: blanks).lowercased()
        }
    }

    /// The separators that spreadsheets and exports write.
    public static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), bar]
    /// A character of many ids as well, so it separates only names that are known.
    private static let bar = UInt8(ascii: "|")

    /// The separator of the text.
    public let separator: UInt8
    /// The fields of the record, at least one.
    public let cells: [Cell]

    /// Recognises the separator: the one by which most cells are known names, then the one with most cells.
    /// - Parameters:
    ///   - record: one record, with its line feed unless the text ends with it.
    ///   - names: the names that columns may have, in lower case.
    ///   - separators: the candidates, of which the first counts when nothing else decides; not empty.
    /// - Throws: the fault by the first candidate, if the record is no CSV by any.
    public init(
        _ record: [UInt8], knowing names: Set<String>, separators: [UInt8] = CSVHeader.separators
    ) throws(CSVGrammar.Fault) {
        var best: (separator: UInt8, cells: [Cell], known: Int)?
        var fault: CSVGrammar.Fault?
        for separator in separators {
            do throws(CSVGrammar.Fault) {
                let cells = try CSVHeader.cells(of: record, separator)
                let known = cells.count { names.contains($0.name) }
                if separator == CSVHeader.bar, known == 0, separators.count > 1 { continue }
                if let best, (best.known, best.cells.count) >= (known, cells.count) { continue }
                best = (separator, cells, known)
            } catch {
                fault = fault ?? error
            }
        }
        guard let best else { throw fault ?? .openQuote }
        (separator, cells) = (best.separator, best.cells)
    }

    /// The places of the columns with this name, which is in lower case.
    public func columns(named name: String) -> [Int] {
        cells.indices.filter { cells[$0].name == name }
    }

    private static func cells(of record: [UInt8], _ separator: UInt8) throws(CSVGrammar.Fault) -> [Cell] {
        var grammar = CSVGrammar(delimiter: separator)
        var cells: [Cell] = []
        var cell = Cell()
        func take(_ step: CSVGrammar.Step, _ byte: UInt8) {
            switch step {
            case .nothing: return
            case .content: cell.bytes.append(byte)
            case .endOfField, .endOfRecord:
                cell.isQuoted = grammar.isQuoted
                cells.append(cell)
                cell = Cell()
            }
        }
        for byte in record { take(try grammar.take(byte), byte) }
        take(try grammar.finish(), 0)
        return cells
    }
}
