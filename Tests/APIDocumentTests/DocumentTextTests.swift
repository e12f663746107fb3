import Testing

@testable import APIDocument

@Suite("The document's text")
struct DocumentTextTests {
    @Test("The document is OpenAPI 3.1, and every name in it stands for something")
    func references() throws {
        let document = try APIDocument()
        #expect(document.root["openapi"]?.string == "3.1.0")
        var count = 0
        visit(document.root) { value in
            guard let name = value["$ref"]?.string else { return }
            count += 1
            #expect(value.resolved(in: document.root)["$ref"] == nil, "\(name)")
        }
        #expect(count > 100)
    }

    @Test("Every component is used")
    func unused() throws {
        let document = try APIDocument()
        var used: Set<String> = []
        visit(document.root) { value in if let name = value["$ref"]?.string { used.insert(name) } }
        for kind in ["schemas", "responses", "parameters", "headers"] {
            for (name, _) in document.root["components"]?[kind]?.members ?? [] {
                #expect(used.contains("#/components/\(kind)/\(name)"), "\(kind)/\(name)")
            }
        }
    }

    @Test("Every operation has an id of its own, a tag that is described, a summary, answers; every body has examples")
    func operations() throws {
        let document = try APIDocument()
        let tags = document.root["tags"]?.elements.compactMap { $0["name"]?.string } ?? []
        var ids: Set<String> = []
        for operation in document.operations {
            let value = operation.value
            let id = try #require(value["operationId"]?.string, "\(operation.path)")
            #expect(ids.insert(id).inserted, "\(id) is there twice")
            #expect(tags.contains(value["tags"]?.elements.first?.string ?? ""), "\(id)")
            #expect(value["summary"]?.string != nil && value["description"]?.string != nil, "\(id)")
            #expect((value["responses"]?.members.count ?? 0) > 0, "\(id)")
            for (type, media) in value["requestBody"]?["content"]?.members ?? [] {
                #expect((media["examples"]?.members.count ?? 0) > 0, "\(id), \(type)")
            }
            for (status, response) in value["responses"]?.members ?? [] {
                for (type, media) in response.resolved(in: document.root)["content"]?.members ?? []
                where type == "application/json" {
                    #expect(
                        (media["examples"]?.members.count ?? 0) > 0 || id == "getDocumentAsJSON", "\(id), \(status)")
                }
            }
        }
    }

    @Test("The codes that refusals name are known, have their status and a meaning, and each occurs")
    func codes() throws {
        let document = try APIDocument()
        let explained = document.root["components"]?["schemas"]?["ErrorCode"]?["x-codes"]
        let codes = document.values(ofSchema: "ErrorCode")
        #expect(explained?.members.map(\.name) == codes)
        // No operation documents these codes, because they answer requests that match none.
        var occurring: Set = ["METHOD_NOT_ALLOWED", "URI_TOO_LONG", "HEADERS_TOO_LARGE"]
        for operation in document.operations {
            for (status, response) in operation.value["responses"]?.members ?? [] {
                let content = response.resolved(in: document.root)["content"]?["application/json"]
                let named = content?["x-error-codes"]?.elements ?? []
                for code in named.compactMap(\.string) {
                    occurring.insert(code)
                    #expect(explained?[code]?["status"]?.text == status, "\(code) at \(operation.path)")
                }
                for example in content?["examples"]?.members ?? [] {
                    guard let code = example.value["value"]?["code"] else { continue }
                    #expect(named.contains(code), "\(code.text) at \(operation.path)")
                }
            }
        }
        #expect(occurring == Set(codes))
    }

    private func visit(_ value: DocumentValue, _ body: (DocumentValue) -> Void) {
        body(value)
        for (_, member) in value.members { visit(member, body) }
        for element in value.elements { visit(element, body) }
    }
}
