extension OperationView {
    func writeResponses(_ html: inout HTML) {
        html.element("h4", text: isWebhook ? "Your answer" : "Answers")
        let first = responses.first { $0.status.hasPrefix("2") }?.status
        html.element("div", [.class("responses")]) { html in
            for (code, response) in responses {
                html.element("details", code == first ? [.flag("open")] : []) { html in
                    html.element("summary") { html in
                        status(code, &html)
                        html.element("span", [.class("what")]) { $0.inline(response["description"]?.string ?? "") }
                        writeCodes(codes(of: response), &html)
                    }
                    writeHeaders(of: response, &html)
                    writeContent(of: response, &html)
                }
            }
        }
    }

    /// The codes that a refusal may have; empty when it is none.
    func codes(of response: DocumentValue) -> [String] {
        response["content"]?.members.first?.value["x-error-codes"]?.elements.map(\.text) ?? []
    }

    private func writeCodes(_ codes: [String], _ html: inout HTML) {
        guard !codes.isEmpty else { return }
        html.element("span", [.class("codes")]) { html in
            for code in codes {
                html.element("a", [.link("#\(PageRenderer.codeID(code))")]) { $0.element("code", text: code) }
            }
        }
    }

    private func writeHeaders(of response: DocumentValue, _ html: inout HTML) {
        let headers = response["headers"]?.members ?? []
        guard !headers.isEmpty else { return }
        html.element("p", [.class("headers")]) { html in
            html.text("Headers: ")
            for (index, header) in headers.enumerated() {
                if index > 0 { html.text(", ") }
                let description = header.value.resolved(in: root)["description"]?.string ?? ""
                html.element("code", [.named("title", description)], text: header.name)
            }
        }
    }

    private func writeContent(of response: DocumentValue, _ html: inout HTML) {
        // All refusals have one form, which is shown once.
        if !codes(of: response).isEmpty {
            html.element("p", [.class("headers")]) { html in
                html.text("Body: ")
                html.element("a", [.link("#\(PageRenderer.refusalsID)")], text: "as every refusal")
            }
            return
        }
        for (type, media) in response["content"]?.members ?? [] {
            html.element("p", [.class("type")], text: type)
            let view = SchemaView(media["schema"] ?? .null, in: root)
            if !view.fields.isEmpty { FieldList.write(view, to: &html) }
        }
    }
}
