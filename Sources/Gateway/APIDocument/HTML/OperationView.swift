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
}
