import LiveActivity
import Testing

@Suite("JSON conformance with JSONTestSuite")
struct JSONConformanceTests {
    /// Optional texts that are accepted: a byte order mark, and numbers of any size, because their spelling is passed
    /// on.
    static let acceptedByChoice: Set<String> = [
        "i_number_double_huge_neg_exp.json",
        "i_number_huge_exp.json",
        "i_number_neg_int_huge_exp.json",
        "i_number_pos_double_huge_exp.json",
        "i_number_real_neg_overflow.json",
        "i_number_real_pos_overflow.json",
        "i_number_real_underflow.json",
        "i_number_too_big_neg_int.json",
        "i_number_too_big_pos_int.json",
        "i_number_very_big_negative_int.json",
        "i_structure_UTF-8_BOM_empty_object.json",
    ]

    /// Optional texts that are refused, with the reason.
    static let refusedByChoice: [String: JSONSyntaxError.Reason] = [
        "i_object_key_lone_2nd_surrogate.json": .loneSurrogate,
        "i_string_1st_surrogate_but_2nd_missing.json": .loneSurrogate,
        "i_string_1st_valid_surrogate_2nd_invalid.json": .loneSurrogate,
        "i_string_UTF-16LE_with_BOM.json": .expectedValue,
        "i_string_UTF-8_invalid_sequence.json": .invalidUTF8,
        "i_string_UTF8_surrogate_U+D800.json": .invalidUTF8,
        "i_string_incomplete_surrogate_and_escape_valid.json": .loneSurrogate,
        "i_string_incomplete_surrogate_pair.json": .loneSurrogate,
        "i_string_incomplete_surrogates_escape_valid.json": .loneSurrogate,
        "i_string_invalid_lonely_surrogate.json": .loneSurrogate,
        "i_string_invalid_surrogate.json": .loneSurrogate,
        "i_string_invalid_utf-8.json": .invalidUTF8,
        "i_string_inverted_surrogates_U+1D11E.json": .loneSurrogate,
        "i_string_iso_latin_1.json": .invalidUTF8,
        "i_string_lone_second_surrogate.json": .loneSurrogate,
        "i_string_lone_utf8_continuation_byte.json": .invalidUTF8,
        "i_string_not_in_unicode_range.json": .invalidUTF8,
        "i_string_overlong_sequence_2_bytes.json": .invalidUTF8,
        "i_string_overlong_sequence_6_bytes.json": .invalidUTF8,
        "i_string_overlong_sequence_6_bytes_null.json": .invalidUTF8,
        "i_string_truncated-utf-8.json": .invalidUTF8,
        "i_string_utf16BE_no_BOM.json": .expectedValue,
        "i_string_utf16LE_no_BOM.json": .expectedValue,
        "i_structure_500_nested_arrays.json": .tooDeep(maximum: 64),
    ]

    @Test("The suite is there whole: 95 to accept, 188 to refuse, 35 of either")
    func suiteIsWhole() throws {
        let counts = Dictionary(grouping: try JSONTestSuite.load()) { $0.name.prefix(2) }.mapValues(\.count)
        #expect(counts == ["y_": 95, "n_": 188, "i_": 35])
    }

    @Test("What must be accepted is, and its bytes can be passed on as they are")
    func acceptsWhatMustBeAccepted() throws {
        for test in try JSONTestSuite.load() where test.name.hasPrefix("y_") {
            do {
                let document = try JSONDocument(parsing: test.bytes)
                #expect(Array(document.root.slice) == Self.trimmed(test.bytes), "\(test.name)")
            } catch {
                Issue.record("\(test.name) was refused: \(error)")
            }
        }
    }

    @Test("What must be refused is, at an offset inside the text or at its end")
    func refusesWhatMustBeRefused() throws {
        for test in try JSONTestSuite.load() where test.name.hasPrefix("n_") {
            let error = #expect(throws: JSONSyntaxError.self, "\(test.name)") { try JSONDocument(parsing: test.bytes) }
            if let error { #expect((0...test.bytes.count).contains(error.offset), "\(test.name)") }
        }
    }

    @Test("What may be accepted or refused is treated as written down here")
    func decidesWhatIsOpen() throws {
        for test in try JSONTestSuite.load() where test.name.hasPrefix("i_") {
            let accepts = Self.acceptedByChoice.contains(test.name)
            do throws(JSONSyntaxError) {
                let document = try JSONDocument(parsing: test.bytes)
                #expect(accepts, "\(test.name) was accepted")
                #expect(Array(document.root.slice) == Self.trimmed(test.bytes), "\(test.name)")
            } catch {
                #expect(!accepts, "\(test.name) was refused: \(error)")
                #expect(error.reason == Self.refusedByChoice[test.name], "\(test.name)")
            }
        }
        #expect(Self.acceptedByChoice.count + Self.refusedByChoice.count == 35)
    }

    @Test("A hundred thousand open brackets are refused at the depth limit, and pass through a high one")
    func deepNestingNeedsNoStack() throws {
        let brackets = try #require(
            JSONTestSuite.load().first { $0.name == "n_structure_100000_opening_arrays.json" }
        ).bytes
        #expect(throws: JSONSyntaxError(offset: 64, reason: .tooDeep(maximum: 64))) {
            try JSONDocument(parsing: brackets)
        }
        #expect(throws: JSONSyntaxError(offset: 100_000, reason: .unexpectedEnd)) {
            try JSONDocument(parsing: brackets, maximumDepth: .max)
        }
        let closed = brackets + [UInt8](repeating: UInt8(ascii: "]"), count: brackets.count)
        let document = try JSONDocument(parsing: closed, maximumDepth: 100_000)
        #expect(document.root.byteRange == 0..<200_000)
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return Array(
            bytes.dropFirst(bytes.starts(with: mark) ? 3 : 0).drop(while: isSpace).reversed().drop(while: isSpace)
                .reversed())
    }
}
