import Testing

@testable import APIDocument

/// Rules beyond validity that generators of clients and validators need.
@Suite("The document as generators read it")
struct DocumentFormTests {
    /// Each object and each enumeration becomes a type of a generated client.
    private static let mostTypes = 125

    @Test("No schema is a choice or a sum of others, none is null or has a default; what is fixed is required")
    func plainness() throws {
        let document = try APIDocument()
        var count = 0
        visit(document.root) { path, value in
            for name in ["oneOf", "anyOf", "allOf", "not", "if", "nullable"] {
                #expect(value[name] == nil, "\(name) at \(path)")
            }
            let types = value["type"].map { $0.elements + [$0] } ?? []
            #expect(!types.contains(.string("null")), "\(path)")
            #expect(value["enum"]?.elements.contains(.null) != true, "\(path)")
            // A generated client would always send the default, even beside a field that excludes it.
            if path.hasPrefix("/components/schemas/"), let standard = value["default"], standard["type"] == nil {
                Issue.record("a default at \(path)")
            }
            // Some generators fail on an optional constant.
            let required = value["required"]?.elements ?? []
            for (name, property) in value["properties"]?.members ?? [] {
                #expect(property["const"] == nil || required.contains(.string(name)), "\(name) at \(path)")
                count += 1
            }
        }
        #expect(count > 300)
    }

    @Test("Every refusal has the one schema Error and names its codes; nothing else does")
    func refusals() throws {
        let document = try APIDocument()
        var count = 0
        for operation in document.operations {
            for (status, response) in operation.value["responses"]?.members ?? [] {
                for (type, media) in response.resolved(in: document.root)["content"]?.members ?? [] {
                    let label = "\(operation.method) \(operation.path), \(status), \(type)"
                    let isRefusal = status.first == "4" || status.first == "5"
                    #expect((media["schema"]?.referenceName == "Error") == isRefusal, "\(label)")
                    let codes = media["x-error-codes"]?.elements.map(\.text) ?? []
                    #expect(codes.isEmpty != isRefusal && Set(codes).count == codes.count, "\(label)")
                    count += isRefusal ? 1 : 0
                }
            }
        }
        #expect(count > 400)
    }

    @Test("Objects and enumerations have names, and there are few enough of them")
    func names() throws {
        let document = try APIDocument()
        let schemas = document.root["components"]?["schemas"]?.members ?? []
        let types = schemas.filter { $0.value["type"]?.string == "object" || $0.value["enum"] != nil }
        #expect(types.count > 50 && types.count <= Self.mostTypes)
        let places = Set(types.map { "/components/schemas/\($0.name)" })
        visit(document.root) { path, value in
            let isObject = value["properties"]?.members.isEmpty == false || value["type"] == .string("object")
            guard isObject || value["enum"] != nil else { return }
            #expect(places.contains(path), "\(path) has no name of its own")
        }
    }

    @Test("The ids of operations read as functions: a verb and what it is about")
    func operationIDs() throws {
        let verbs: Set = [
            "add", "cancel", "change", "create", "delete", "end", "erase", "follow", "get", "list", "put",
            "register", "remove", "replace", "report", "resend", "restart", "rotate", "start", "stream", "test",
            "unfollow", "update",
        ]
        let document = try APIDocument()
        for operation in document.operations {
            let id = try #require(operation.value["operationId"]?.string)
            #expect(id.allSatisfy { $0.isASCII && $0.isLetter }, "\(id)")
            let verb = String(id.prefix { $0.isLowercase })
            #expect(verbs.contains(verb) && verb != id, "\(id)")
        }
    }

    @Test("Ids of requests and replies have one schema, and nothing has links, which generators refuse")
    func identifiers() throws {
        let document = try APIDocument()
        var references = 0
        visit(document.root) { path, value in
            #expect(value["links"] == nil, "links at \(path)")
            #expect(value["format"]?.string != "uuid" || path == "/components/schemas/Id", "\(path)")
            for (name, property) in value["properties"]?.members ?? []
            where ["activity_id", "broadcast_id", "schedule_id"].contains(name) {
                #expect(property.referenceName == "Id", "\(name) at \(path)")
                references += 1
            }
            if path.hasPrefix("/components/parameters/"), path.hasSuffix("_id"), value["in"]?.string == "path",
                value["name"]?.string != "insider_id"
            {
                #expect(value["schema"]?.referenceName == "Id", "\(path)")
                references += 1
            }
        }
        #expect(references > 30)
    }

    @Test("Constants of enumerations have names of their own in languages that keep them in one place")
    func constants() throws {
        let schemas = try APIDocument().root["components"]?["schemas"]?.members ?? []
        var owners: [String: String] = [:]
        for (schema, value) in schemas {
            let values = value["enum"]?.elements ?? []
            let names = value["x-enum-varnames"]?.elements.compactMap(\.string)
            #expect(names == nil || names?.count == values.count, "\(schema)")
            for name in names ?? values.compactMap({ $0.string?.uppercased() }) {
                #expect(owners[name] == nil, "\(schema) and \(owners[name] ?? "") have \(name)")
                owners[name] = schema
            }
        }
        #expect(owners.count > 80)
    }

    @Test("No example lies in the past: years and epoch seconds are of the end of the century")
    func times() throws {
        let document = try APIDocument()
        var count = 0
        visit(document.root) { path, value in
            guard path.contains("/example") else { return }
            switch value {
            case .string(let text):
                for word in text.split(whereSeparator: { $0 == " " || $0 == "\"" }) where isDate(word) {
                    #expect(word.prefix(4) == "2099", "\(text) at \(path)")
                    count += 1
                }
            case .number(let text):
                // Only seconds since 2001 have ten digits in the examples.
                guard text.utf8.count == 10 else { return }
                #expect(text > "4000000000", "\(text) at \(path)")
                count += 1
            default: break
            }
        }
        #expect(count > 50)
    }

    @Test("Each type of event says which schema its data has, and there is one for each")
    func events() throws {
        let document = try APIDocument()
        let event = document.root["components"]?["schemas"]?["Event"]
        let data = event?["properties"]?["data"]?["x-data"]?.members ?? []
        #expect(data.map(\.name) == document.values(ofSchema: "EventType"))
        for (type, schema) in data {
            let name = try #require(schema.referenceName)
            #expect(SchemaView(schema, in: document.root).type == "object", "\(type)")
            #expect(event?["description"]?.string?.contains("- `\(type)`: \(name)\n") == true, "\(type)")
        }
    }

    private func isDate(_ text: Substring) -> Bool {
        let shape = text.prefix(8).map { $0.isNumber ? "0" : $0 }
        return String(shape) == "0000-00-"
    }

    private func visit(_ value: DocumentValue, at path: String = "", _ body: (String, DocumentValue) -> Void) {
        body(path, value)
        for (name, member) in value.members { visit(member, at: "\(path)/\(name)", body) }
        for (index, element) in value.elements.enumerated() { visit(element, at: "\(path)/\(index)", body) }
    }
}
