import LiveActivity
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("Members keep their order, at every level")
    func order() {
        let bytes = JSONWriter.object {
            $0.field("status", "success")
            $0.field("count", 3)
            $0.object("skipped") {
                $0.field("unknown_user", 1)
                $0.field("no_device", 2)
            }
            $0.array("details") {
                $0.object { $0.field("udid", "a") }
                $0.array { $0.element(1) }
                $0.element("x")
                $0.element(false)
            }
            $0.field("partial", true)
        }
        #expect(
            text(bytes) == #"{"status":"success","count":3,"skipped":{"unknown_user":1,"no_device":2},"#
                + #""details":[{"udid":"a"},[1],"x",false],"partial":true}"#)
    }

    @Test("Empty containers and a top-level array are written")
    func containers() {
        #expect(text(JSONWriter.object { _ in }) == "{}")
        #expect(text(JSONWriter.array { _ in }) == "[]")
        #expect(
            text(
                JSONWriter.array {
                    $0.object { _ in }; $0.array { _ in }; $0.object { _ in }
                }) == "[{},[],{}]")
        #expect(
            text(
                JSONWriter.object {
                    $0.object("a") { _ in }; $0.array("b") { _ in }
                }) == #"{"a":{},"b":[]}"#)
    }

    @Test("A field that is nil is left out, together with its comma")
    func optionals() {
        let bytes = JSONWriter.object {
            $0.field("a", String?.none)
            $0.field("b", Int?.some(1))
            $0.field("c", Double?.none)
            $0.field("d", Bool?.some(false))
        }
        #expect(text(bytes) == #"{"b":1,"d":false}"#)
    }

    @Test("JSON that is there already is written as it is")
    func raw() {
        let slice = Array("[ 1.0 ]".utf8)[...]
        #expect(
            text(
                JSONWriter.object {
                    $0.raw("a", slice); $0.raw("b", "1e3".utf8)
                }) == #"{"a":[ 1.0 ],"b":1e3}"#)
        #expect(
            text(
                JSONWriter.array {
                    $0.raw("\"[\"".utf8); $0.raw(slice)
                }) == #"["[",[ 1.0 ]]"#)
    }

    @Test("Numbers read back as the same numbers")
    func numbers() throws {
        let doubles = [0, -0.0, 0.1, -1.5, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16, 123_456.789]
        let bytes = JSONWriter.object {
            $0.field("doubles", doubles)
            $0.field("largest", Int64.max)
            $0.field("smallest", Int64.min)
            $0.field("unsigned", UInt64.max)
            $0.field("nan", Double.nan)
            $0.field("infinity", -Double.infinity)
        }
        let root = try JSONDocument(parsing: bytes).root
        #expect(try root.member("doubles")?.elements.map(\.double) == doubles)
        #expect(try root.member("largest")?.int64 == .max)
        #expect(try root.member("smallest")?.int64 == .min)
        #expect(text(bytes).contains("\"unsigned\":18446744073709551615,\"nan\":null,\"infinity\":null"))
    }

    @Test("Strings and names are escaped where they must be, and nowhere else")
    func escaping() throws {
        let every = String(String.UnicodeScalarView((0..<0x80).compactMap(Unicode.Scalar.init) + ["é", "€", "😀"]))
        let bytes = JSONWriter.object { $0.field(every, every) }
        #expect(try JSONDocument(parsing: bytes).root.member(every)?.string == every)
        #expect(
            text(JSONWriter.array { $0.element("\"\\/\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}é😀") })
                == #"["\"\\/\n\r\t\b\f\u0000\u001f"# + "\u{7F}é😀\"]")
    }

    @Test("What the closure throws comes out")
    func throwing() {
        struct Stop: Error {}
        #expect(throws: Stop.self) { try JSONWriter.object { try $0.array("a") { _ throws(Stop) in throw Stop() } } }
    }
}
