/// One operation on the page: what it does and takes on the left, examples on the right.
struct OperationView {
    let root: DocumentValue
    let method: String
    let path: String
    let value: DocumentValue
    /// Parameters of all operations of the path.
    let shared: [DocumentValue]
    let isWebhook: Bool

    var id: String { identifier(isWebhook ? "hook" : "op", value["operationId"]?.string ?? "\(method)-\(path)") }
    var tag: String { value["tags"]?.elements.first?.string ?? "" }
    var summary: String { value["summary"]?.string ?? path }

    var parameters: [DocumentValue] {
        (shared + (value["parameters"]?.elements ?? [])).map { $0.resolved(in: root) }
    }

    var requestBody: DocumentValue? { value["requestBody"]?.resolved(in: root) }

    var responses: [(status: String, value: DocumentValue)] {
        (value["responses"]?.members ?? []).map { ($0.name, $0.value.resolved(in: root)) }
    }

    /// The headers that hold a key.
    var keyHeaders: [String] {
        let schemes = value["security"]?.elements.flatMap { $0.members.map(\.name) } ?? []
        return schemes.compactMap { root["components"]?["securitySchemes"]?[$0]?["name"]?.string }
    }

    func write(to html: inout HTML) {
        html.element("article", [.id(id)]) { html in
            html.element("header") { html in
                html.element("h3") { $0.element("a", [.link("#\(id)")], text: summary) }
                html.element("p", [.class("route")]) { html in
                    html.element("span", [.class("method \(method.lowercased())")], text: method)
                    html.element("code", text: path)
                }
            }
            html.element("div", [.class("about")]) { html in
                if let description = value["description"]?.string { html.markup(description) }
                writeParameters(&html)
                writeBody(&html)
                writeResponses(&html)
            }
            html.element("div", [.class("examples")]) { writeExamples(&$0) }
        }
    }

    // MARK: What it takes

    private func writeParameters(_ html: inout HTML) {
        let parameters = parameters
        guard !parameters.isEmpty || !keyHeaders.isEmpty else { return }
        html.element("h4", text: "Parameters")
        html.element("dl", [.class("fields")]) { html in
            for key in keyHeaders {
                html.element("div") { html in
                    html.element("dt") { html in
                        html.element("code", text: key)
                        html.element("span", [.class("type")], text: "header")
                        html.element("span", [.class("required")], text: "required")
                    }
                }
            }
            for parameter in parameters {
                let view = SchemaView(parameter["schema"] ?? .null, in: root)
                FieldList.row(
                    name: parameter["name"]?.text ?? "", view, isRequired: parameter["required"]?.isTrue ?? false,
                    place: parameter["in"]?.string, description: parameter["description"]?.string, &html)
            }
        }
    }

    private func writeBody(_ html: inout HTML) {
        guard let body = requestBody else { return }
        for (type, media) in body["content"]?.members ?? [] {
            html.element("h4") { html in
                html.text("Body ")
                html.element("span", [.class("type")], text: type)
            }
            let view = SchemaView(media["schema"] ?? .null, in: root)
            if let text = body["description"]?.string ?? view.description { html.markup(text) }
            FieldList.write(view, to: &html)
        }
    }

    // MARK: What it answers

    private func writeResponses(_ html: inout HTML) {
        html.element("h4", text: isWebhook ? "Your answer" : "Answers")
        html.element("div", [.class("responses")]) { html in
            for (code, response) in responses {
                html.element("details") { html in
                    html.element("summary") { html in
                        status(code, &html)
                        html.element("span", [.class("what")]) { $0.inline(response["description"]?.string ?? "") }
                        writeCodes(response, &html)
                    }
                    writeResponse(response, &html)
                }
            }
        }
    }

    private func writeCodes(_ response: DocumentValue, _ html: inout HTML) {
        guard let schema = response["content"]?.members.first?.value["schema"] else { return }
        let codes = SchemaView(schema, in: root).schema["properties"]?["code"]?.resolved(in: root)["enum"]?.elements
        guard let codes, !codes.isEmpty else { return }
        html.element("span", [.class("codes")]) { html in
            for code in codes {
                html.element("a", [.link("#\(PageRenderer.codeID(code.text))")]) { $0.element("code", text: code.text) }
            }
        }
    }

    private func writeResponse(_ response: DocumentValue, _ html: inout HTML) {
        let headers = response["headers"]?.members ?? []
        if !headers.isEmpty {
            html.element("p", [.class("headers")]) { html in
                html.text("Headers: ")
                for (index, header) in headers.enumerated() {
                    if index > 0 { html.text(", ") }
                    let description = header.value.resolved(in: root)["description"]?.string ?? ""
                    html.element("code", [.named("title", description)], text: header.name)
                }
            }
        }
        for (type, media) in response["content"]?.members ?? [] {
            html.element("p", [.class("type")], text: type)
            let view = SchemaView(media["schema"] ?? .null, in: root)
            if !view.fields.isEmpty { FieldList.write(view, to: &html) }
        }
    }
}
