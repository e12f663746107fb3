import Foundation
import TestSupport
import Testing

@testable import LiveActivity

@Suite("JSON fuzzing")
struct JSONFuzzTests {
    /// Set `FANFARE_FUZZ_SEED` to repeat a run, `FANFARE_FUZZ_COUNT` for a longer one.
    @Test("Mutated texts are accepted exactly when a plain checker accepts them, with the same values")
    func mutations() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FANFARE_FUZZ_SEED"].flatMap(UInt64.init) ?? TestSeed.current
        let count = environment["FANFARE_FUZZ_COUNT"].flatMap(Int.init) ?? 30_000
        print("JSON fuzzing: FANFARE_FUZZ_SEED=\(seed)")
        var mutator = try Mutator(seed: seed, valid: Self.validTexts(), any: Self.suite(""))
        var accepted = 0
        for round in 0..<count {
            let bytes = mutator.next()
            let expected = JSONOracle.read(bytes)
            let found = try? JSONDocument(parsing: bytes).root
            let members = Self.reading { () throws(JSONSyntaxError) in
                try JSONDocument(parsing: bytes, members: Self.names)
            }
            let shown = "seed \(seed), round \(round), bytes \(bytes): \(String(decoding: bytes, as: UTF8.self))"
            try #require((found == nil) == (expected == nil), "\(shown)")
            let whole = Self.reading { () throws(JSONSyntaxError) in try JSONDocument(parsing: bytes) }
            try #require(members == whole, "\(shown)")
            guard let found, let expected else { continue }
            accepted += 1
            try #require(found.agrees(with: expected), "\(shown)")
        }
        // The comparison means little unless both outcomes are common.
        #expect(accepted > count / 10 && accepted < count * 9 / 10, "\(accepted) of \(count) accepted, seed \(seed)")
    }

    private static let names = ["a", "x", "activity_id", "content", "é€😀"]

    /// Returns a document's outermost value and some of its members, or the error.
    private static func reading(_ parse: () throws(JSONSyntaxError) -> JSONDocument) -> [String] {
        do throws(JSONSyntaxError) {
            let root = try parse().root
            return ["\(root.kind) \(root.byteRange) \(root.isEmptyObject)"]
                + names.map { name in
                    do throws(JSONSyntaxError) {
                        guard let value = try root.member(name) else { return "none" }
                        return "\(value.kind) \(value.byteRange) \(value.string ?? "-")"
                    } catch {
                        return "\(error.offset) \(error.reason)"
                    }
                }
        } catch {
            return ["\(error.offset) \(error.reason)"]
        }
    }

    @Test(
        "A document of some members holds only these, whatever else the text has",
        arguments: ["[1,[2]]", "{}", "[]", #"{"a":{"udid":"no"}}"#, #""udid""#, "null"])
    func members(other: String) throws {
        let filling = Array(repeating: "\"x\":\(other)", count: 1_000).joined(separator: ",")
        let text = #"{\#(filling),"insider_id":"ann","u\u0064id":"phone",\#(filling)}"#
        let document = try JSONDocument(parsing: Array(text.utf8), members: ["insider_id", "udid"])
        #expect(document.nodes.count == 5)
        #expect(try document.root.member("insider_id")?.string == "ann")
        #expect(try document.root.member("udid")?.string == "phone")
        let twice = #"{"udid":"a",\#(filling),"udid":"b"}"#
        let both = try JSONDocument(parsing: Array(twice.utf8), members: ["udid"])
        #expect(throws: JSONSyntaxError.self) { try both.root.member("udid") }
    }

    @Test("Every text of the conformance suite is read as a plain checker reads it")
    func conformanceSuite() throws {
        for test in try JSONTestSuite.load() {
            let expected = JSONOracle.read(test.bytes)
            let found = try? JSONDocument(parsing: test.bytes).root
            #expect((found == nil) == (expected == nil), "\(test.name)")
            if let found, let expected { #expect(found.agrees(with: expected), "\(test.name)") }
        }
    }

    private static func suite(_ prefix: String) throws -> [[UInt8]] {
        try JSONTestSuite.load().filter { $0.name.hasPrefix(prefix) }.map(\.bytes).filter { $0.count < 200 }
    }

    private static func validTexts() throws -> [[UInt8]] {
        let own = [
            #"{"activity_id":"6f1b","content":{"title":"Goal!","content_state":{"home":2,"t":[1.0,-2e+3]}},"x":null}"#,
            #"{"a":{"b":[[],{},[{"c":[true,false]}]]},"\u0061":"\ud83d\ude00\n\\\"/","é€😀":"日本語のテキスト"}"#,
            #" [ 0 , -0 , 0.5 , 10e-2 , 12345678901234567890 , "" , "a plain string of some length" ] "#,
            String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
        ]
        return try own.map { Array($0.utf8) } + suite("y_")
    }
}

/// Changes texts at random places: flips bits, cuts, inserts, repeats, nests, splices two texts.
private struct Mutator {
    private static let tokens: [[UInt8]] =
        [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\n", "0", "-", ".", "e", "+",
            "true",
            "null", " ", "\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é", "😀", "\u{FEFF}", "\"a\":1,", "[]", "{}", ",1",
        ].map { Array($0.utf8) } + [[0x80], [0xC0], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF]]

    private var state: UInt64
    private let valid: [[UInt8]]
    private let any: [[UInt8]]

    init(seed: UInt64, valid: [[UInt8]], any: [[UInt8]]) {
        state = seed
        self.valid = valid
        self.any = any
    }

    mutating func next() -> [UInt8] {
        var text = pick()
        for _ in 0..<1 + below(2) * below(3) {
            let place = below(text.count + 1)
            switch below(7) {
            case 0 where place < text.count:
                text[place] ^= 1 << UInt8(below(8))
            case 1:
                text.removeSubrange(place..<min(text.count, place + 1 + below(6)))
            case 2:
                text.insert(contentsOf: text[place..<min(text.count, place + below(8))], at: place)
            case 3:
                let other = pick()
                text = Array(text.prefix(place) + other.dropFirst(below(other.count + 1)))
            case 4:
                text = Array("[".utf8) + text + Array(",".utf8) + pick() + Array("]".utf8)
            case 5:
                text = Array("{\"\":".utf8) + text + Array(",\"a\" :".utf8) + pick() + Array("}".utf8)
            default:
                text.insert(contentsOf: Self.tokens[below(Self.tokens.count)], at: place)
            }
        }
        return text
    }

    private mutating func pick() -> [UInt8] {
        let pool = below(4) > 0 ? valid : any
        return pool[below(pool.count)]
    }

    /// SplitMix64.
    private mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(bound))
    }
}

extension JSONValue {
    /// True if both trees have the same kinds, order, counts, names, strings and spelling of numbers.
    fileprivate func agrees(with tree: JSONOracle.Tree) -> Bool {
        switch tree {
        case .word(let word):
            return slice.elementsEqual(word.utf8) && kind == (word == "null" ? .null : word == "true" ? .true : .false)
        case .number(let spelling):
            let integer = spelling.contains { ".eE".contains($0) } ? nil : Int64(spelling)
            return kind == .number && slice.elementsEqual(spelling.utf8) && int64 == integer
        case .string(let bytes):
            return kind == .string && unescapedBytes == bytes
        case .array(let trees):
            let values = Array(elements)
            return kind == .array && elementCount == trees.count && values.count == trees.count
                && zip(values, trees).allSatisfy { $0.agrees(with: $1) }
        case .object(let pairs):
            guard kind == .object, isEmptyObject == pairs.isEmpty else { return false }
            let values = Dictionary(grouping: pairs, by: \.name)
            return values.allSatisfy { name, pairs in
                let name = String(decoding: name, as: UTF8.self)
                do throws(JSONSyntaxError) {
                    let found = try member(name)
                    return pairs.count == 1 && found?.agrees(with: pairs[0].value) == true
                } catch {
                    return pairs.count > 1 && error.reason == .duplicateMember(name)
                }
            }
        }
    }
}
