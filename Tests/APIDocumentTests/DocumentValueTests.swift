import Testing

@testable import APIDocument

@Suite("Values of the document")
struct DocumentValueTests {
    @Test("YAML becomes JSON: order kept, spelling of numbers kept, only JSON's own words are not text")
    func conversion() throws {
        let value = try DocumentValue(
            yaml: """
                b: 1
                a: [1.0, -0.5e3, 007, 1_000, 0x1f, .5, true, "true", yes, null, ~, 2026-11-21T15:18:03Z, '3']
                c: {}
                d: []
                e: "\\"\\\\\\n\\u0001é"
                """)
        #expect(
            value.json() == #"""
                {"b":1,"a":[1.0,-0.5e3,"007","1_000","0x1f",".5",true,"true","yes",null,"~","2026-11-21T15:18:03Z","3"],\#
                "c":{},"d":[],"e":"\"\\\n\u0001é"}
                """#)
    }

    @Test("Text that is no YAML is refused")
    func refusals() {
        for text in ["", "a: [", "a: b: c", "\t- x\n- y: {"] {
            #expect(throws: (any Error).self, "\(text)") { try DocumentValue(yaml: text) }
        }
    }

    @Test("With an indentation what is short stays on a line")
    func indentation() throws {
        let value = try DocumentValue(yaml: "a: {b: 1, c: [2, 3]}\nd: \(String(repeating: "x", count: 70))\ne: {f: {}}")
        #expect(
            value.json(indent: "  ") == """
                {
                  "a": {"b": 1, "c": [2, 3]},
                  "d": "\(String(repeating: "x", count: 70))",
                  "e": {"f": {}}
                }
                """)
    }

    @Test("A reference is what it names, with what stands beside it; a circle comes to an end")
    func references() throws {
        let root = try DocumentValue(
            yaml: """
                a: {$ref: "#/x~1y/0", description: mine}
                x/y: {"0": {type: string, description: theirs}}
                loop: {$ref: "#/loop"}
                """)
        let value = try #require(root["a"]).resolved(in: root)
        #expect(value["type"]?.string == "string" && value["description"]?.string == "mine")
        #expect(root["loop"]?.resolved(in: root) != nil)
    }

    @Test("A schema is read through its reference: its members, the required ones marked")
    func schema() throws {
        let root = try DocumentValue(
            yaml: """
                one: {$ref: "#/base", description: mine}
                base: {type: object, required: [b], properties: {a: {enum: [x]}, b: {type: [integer, string]}}}
                """)
        let view = SchemaView(try #require(root["one"]), in: root)
        #expect(view.type == "object" && view.name == "base" && view.description == "mine")
        #expect(view.fields.map(\.name) == ["a", "b"])
        #expect(view.fields.map(\.isRequired) == [false, true])
        #expect(view.fields.first?.view.values == [.string("x")])
        #expect(view.fields.last?.view.type == "integer or string")
    }
}
