extension OperationView {
    /// A request to copy for each example of a body, and the answers.
    func writeExamples(_ html: inout HTML) {
        let bodies = requestBody.map { examples(in: $0) } ?? []
        if bodies.isEmpty, !isWebhook { block("Request", curl(nil), isOpen: true, &html) }
        for (index, example) in bodies.enumerated() {
            let text = isWebhook ? shown(example.value) : curl(example)
            block(example.summary, text, isOpen: index == 0, &html)
        }
        let answers = responses.map {
            (status: $0.status, examples: examples(in: $0.value), isRefusal: !codes(of: $0.value).isEmpty)
        }
        var isFirst = true
        for answer in answers where !answer.isRefusal {
            for example in answer.examples {
                block(example.summary, shown(example.value), status: answer.status, isOpen: isFirst, &html)
                isFirst = false
            }
        }
        let refusals = answers.filter(\.isRefusal)
        guard !refusals.isEmpty else { return }
        html.element("details") { html in
            html.element("summary", text: "Refusals")
            html.element("div", [.class("inner")]) { html in
                for refusal in refusals {
                    for example in refusal.examples {
                        block(example.summary, shown(example.value), status: refusal.status, isOpen: false, &html)
                    }
                }
            }
        }
    }

    private struct Example {
        let type: String
        let summary: String
        let value: DocumentValue
    }

    private func examples(in holder: DocumentValue) -> [Example] {
        (holder["content"]?.members ?? []).flatMap { type, media in
            (media["examples"]?.members ?? []).map { name, example in
                let example = example.resolved(in: root)
                return Example(
                    type: type, summary: example["summary"]?.string ?? name, value: example["value"] ?? .null)
            }
        }
    }

    private func shown(_ value: DocumentValue) -> String { value.string ?? value.json(indent: "  ") }

    private func block(
        _ title: String, _ text: String, status code: String? = nil, isOpen: Bool, _ html: inout HTML
    ) {
        html.element("details", isOpen ? [.flag("open")] : []) { html in
            html.element("summary") { html in
                if let code { status(code, &html) }
                html.text(title)
            }
            html.element("pre") { $0.element("code", text: text) }
        }
    }

    private func curl(_ example: Example?) -> String {
        var lines = ["curl \(method == "GET" ? "" : "-X \(method) ")'http://127.0.0.1:8080\(filledPath)'"]
        for key in keyHeaders { lines.append("-H '\(key): …'") }
        if let example {
            lines.append("-H 'Content-Type: \(example.type)'")
            lines.append("--data-binary '\(shown(example.value).replacing("'", with: #"'\''"#))'")
        }
        return lines.joined(separator: " \\\n  ")
    }

    /// The path with the parameters' examples.
    private var filledPath: String {
        parameters.filter { $0["in"]?.string == "path" }.reduce(path) { path, parameter in
            guard let name = parameter["name"]?.string, let example = parameter["example"]?.string else { return path }
            return path.replacing("{\(name)}", with: example)
        }
    }
}
