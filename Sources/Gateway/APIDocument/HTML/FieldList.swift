/// The fields of an object, with those of inner objects folded.
enum FieldList {
    /// The maximum depth, beyond that of any schema. It stops at recursive schemas.
    private static let deepest = 8

    static func write(_ view: SchemaView, to html: inout HTML, depth: Int = 0) {
        guard depth < deepest else { return }
        guard !view.fields.isEmpty else { return }
        html.element("dl", [.class("fields")]) { html in
            for field in view.fields {
                row(
                    name: field.name, field.view, isRequired: field.isRequired, place: nil,
                    description: field.view.description, &html, depth: depth)
            }
        }
    }

    static func row(
        name: String, _ view: SchemaView, isRequired: Bool, place: String?, description: String?,
        _ html: inout HTML, depth: Int = 0
    ) {
        html.element("div") { html in
            html.element("dt") { html in
                html.element("code", text: name)
                html.element(
                    "span", [.class("type")], text: [place, view.type].compactMap { $0 }.joined(separator: ", "))
                if isRequired { html.element("span", [.class("required")], text: "required") }
            }
            html.element("dd") { html in
                if let description { html.markup(description) }
                limits(view, &html)
                for kind in view.kinds {
                    html.element("details") { html in
                        html.element("summary") { $0.inline(kind.description ?? kind.name ?? "") }
                        write(kind, to: &html, depth: depth + 1)
                    }
                }
                guard let inner = view.inner else { return }
                html.element("details") { html in
                    html.element("summary", text: "\(inner.fields.count) fields")
                    write(inner, to: &html, depth: depth + 1)
                }
            }
        }
    }

    private static func limits(_ view: SchemaView, _ html: inout HTML) {
        let values = view.values
        let limits = view.limits
        // The error codes have one common list.
        let isCode = view.name == "ErrorCode"
        guard !limits.isEmpty || (!values.isEmpty && !isCode) else { return }
        html.element("p", [.class("limits")]) { html in
            if !isCode { for value in values { html.element("code", text: value.text) } }
            for limit in limits { html.element("span", text: limit) }
        }
    }
}
