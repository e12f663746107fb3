import Encodings
import TestSupport
import Testing

@Suite("The grammar of CSV")
struct CSVGrammarTests {
    /// The records of a text, or what is wrong with it.
    private func records(
        _ text: String, delimiter: UInt8 = UInt8(ascii: ",")
    ) -> Result<[[String]], CSVGrammar.Fault> {
        Result { () throws(CSVGrammar.Fault) -> [[String]] in
            var grammar = CSVGrammar(delimiter: delimiter)
            var records: [[String]] = []
            var cells: [String] = []
            var cell: [UInt8] = []
            func take(_ step: CSVGrammar.Step, _ byte: UInt8) {
                switch step {
                case .nothing: return
                case .content: return cell.append(byte)
                case .endOfField, .endOfRecord:
                    // Quotes around a field are kept in what is compared.
                    cells.append((grammar.isQuoted ? "'" : "") + String(decoding: cell, as: UTF8.self))
                    cell = []
                }
                guard step == .endOfRecord else { return }
                records.append(cells)
                cells = []
            }
            for byte in text.utf8 { take(try grammar.take(byte), byte) }
            take(try grammar.finish(), 0)
            #expect(grammar.isBetweenRecords)
            return records
        }
    }

    @Test(
        "Fields and records end where RFC 4180 says",
        arguments: Escaped.each(
            [
                ("", []), ("a", [["a"]]), ("a\n", [["a"]]), ("a\r\nb", [["a"], ["b"]]),
                ("a,b\nc,\n", [["a", "b"], ["c", ""]]),
                (",", [["", ""]]), ("\n", [[""]]), ("\"a\",b", [["'a", "b"]]),
                ("\"a,b\n\"\"c\"\"\"\n", [["'a,b\n\"c\""]]),
                ("\"\"", [["'"]]), ("\"a\",", [["'a", ""]]), (" a , b ", [[" a ", " b "]]),
                ("a\n\"b\"\nc", [["a"], ["'b"], ["c"]]),
            ] as [(String, [[String]])]))
    func reads(_ argument: Escaped<(String, [[String]])>) {
        let (text, expected) = argument.value
        #expect(records(text) == .success(expected))
    }

    @Test(
        "What is no CSV is named",
        arguments: Escaped.each(
            [
                ("a\"", .strayQuote), ("\"a\"b", .textBehindQuote), ("a,\"b", .openQuote),
                ("a\rb", .loneCarriageReturn),
                ("a\r", .loneCarriageReturn),
            ] as [(String, CSVGrammar.Fault)]))
    func refuses(_ argument: Escaped<(String, CSVGrammar.Fault)>) {
        let (text, fault) = argument.value
        #expect(records(text) == .failure(fault))
    }

    @Test("Another delimiter makes the comma content")
    func delimiter() {
        #expect(records("a,b;\"c;d\"", delimiter: UInt8(ascii: ";")) == .success([["a,b", "'c;d"]]))
    }
}
