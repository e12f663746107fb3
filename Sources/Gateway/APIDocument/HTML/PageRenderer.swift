/// Writes the document as a page for people: an overview, the operations by tag, the codes.
struct PageRenderer {
    let root: DocumentValue
    let style: String

    /// A section of operations.
    struct Group {
        let id: String
        let name: String
        let description: String?
        let operations: [OperationView]
    }

    private static let icon =
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
        + "%3Crect width='16' height='16' rx='4' fill='%234f46e5'/%3E"
        + "%3Cpath d='M4 11V5l4 3 4-3v6' fill='none' stroke='white' stroke-width='1.6'/%3E%3C/svg%3E"

    func html() -> String {
        let groups = self.groups
        var html = HTML()
        html.verbatim("<!DOCTYPE html>")
        html.element("html", [.named("lang", "en")]) { html in
            html.element("head") { head(&$0) }
            html.element("body") { html in
                html.element("nav", [.named("aria-label", "Contents")]) { navigation(groups, &$0) }
                html.element("main") { html in
                    overview(&html)
                    for group in groups { section(group, &html) }
                    refusals(&html)
                }
            }
        }
        return html.source
    }

    private var title: String { root["info"]?["title"]?.string ?? "API" }

    private func head(_ html: inout HTML) {
        html.open("meta", [.named("charset", "utf-8")])
        html.open("meta", [.named("name", "viewport"), .named("content", "width=device-width, initial-scale=1")])
        html.open("meta", [.named("name", "color-scheme"), .named("content", "light dark")])
        html.element("title", text: "\(title) API")
        html.open("link", [.named("rel", "icon"), .link(PageRenderer.icon)])
        html.element("style") { $0.verbatim(style) }
    }

    // MARK: What there is

    private var groups: [Group] {
        var views: [OperationView] = []
        for (path, item) in root["paths"]?.members ?? [] { views += operations(path, item, isWebhook: false) }
        var groups = (root["tags"]?.elements ?? []).compactMap { tag -> Group? in
            let name = tag["name"]?.text ?? ""
            let own = views.filter { $0.tag == name }
            return own.isEmpty
                ? nil
                : Group(
                    id: identifier("tag", name), name: name, description: tag["description"]?.string, operations: own)
        }
        let named = Set(groups.map(\.name))
        let others = views.filter { !named.contains($0.tag) }
        if !others.isEmpty {
            groups.append(Group(id: "tag-others", name: "Others", description: nil, operations: others))
        }
        let hooks = (root["webhooks"]?.members ?? []).flatMap { operations($0.name, $0.value, isWebhook: true) }
        if !hooks.isEmpty {
            let text = "What the gateway sends to the URLs that a tenant has named."
            groups.append(Group(id: "webhooks", name: "Webhooks", description: text, operations: hooks))
        }
        return groups
    }

    private func operations(_ path: String, _ item: DocumentValue, isWebhook: Bool) -> [OperationView] {
        item.members.filter { APIDocument.Operation.methods.contains($0.name) }.map { method, value in
            let shared = item["parameters"]?.elements ?? []
            return OperationView(
                root: root, method: method.uppercased(), path: path, value: value, shared: shared, isWebhook: isWebhook)
        }
    }

    // MARK: Parts of the page

    private func navigation(_ groups: [Group], _ html: inout HTML) {
        html.element("a", [.class("brand"), .link("#overview")]) { html in
            html.element("strong", text: title)
            html.element("span", text: "API \(root["info"]?["version"]?.text ?? "")")
        }
        for group in groups {
            html.element("a", [.class("group"), .link("#\(group.id)")], text: group.name)
            html.element("ul") { html in
                for operation in group.operations {
                    html.element("li") { html in
                        html.element("a", [.link("#\(operation.id)")]) { html in
                            html.element(
                                "span", [.class("method \(operation.method.lowercased())")], text: operation.method)
                            html.element("span", text: operation.summary)
                        }
                    }
                }
            }
        }
        html.element("a", [.class("group"), .link("#\(PageRenderer.refusalsID)")], text: "Refusals and codes")
    }

    private func overview(_ html: inout HTML) {
        html.element("section", [.id("overview"), .class("overview")]) { html in
            html.element("h1", text: title)
            if let text = root["info"]?["description"]?.string { html.markup(text) }
            html.element("div", [.class("keys")]) { html in
                for (_, scheme) in root["components"]?["securitySchemes"]?.members ?? [] {
                    html.element("div") { html in
                        html.element("code", text: scheme["name"]?.text ?? "Authorization")
                        html.element("p") { $0.inline(scheme["description"]?.string ?? "") }
                    }
                }
            }
            html.element("p", [.class("forms")]) { html in
                html.element("a", [.link("/openapi.yaml")], text: "openapi.yaml")
                html.element("a", [.link("/openapi.json")], text: "openapi.json")
            }
        }
    }

    private func section(_ group: Group, _ html: inout HTML) {
        html.element("section", [.id(group.id), .class("group")]) { html in
            html.element("h2", text: group.name)
            if let description = group.description { html.element("div", [.class("lead")]) { $0.markup(description) } }
            for operation in group.operations { operation.write(to: &html) }
        }
    }

    private func refusals(_ html: inout HTML) {
        let schema = root["components"]?["schemas"]?["ErrorCode"]
        let codes = schema?["x-codes"]?.members ?? []
        guard !codes.isEmpty else { return }
        html.element("section", [.id(PageRenderer.refusalsID), .class("group refusals")]) { html in
            html.element("h2", text: "Refusals")
            if let error = root["components"]?["schemas"]?["Error"] {
                let view = SchemaView(error, in: root)
                html.element("div", [.class("lead")]) { $0.markup(view.description ?? "") }
                FieldList.write(view, to: &html)
            }
            html.element("h3", text: "Codes")
            html.element("div", [.class("scroll")]) { html in
                html.element("table", [.class("codes")]) { html in
                    html.element("tbody") { html in
                        for (code, value) in codes {
                            html.element("tr", [.id(PageRenderer.codeID(code))]) { html in
                                html.element("td") { status(value["status"]?.text ?? "", &$0) }
                                html.element("td") { $0.element("code", text: code) }
                                html.element("td") { $0.inline(value["meaning"]?.string ?? "") }
                            }
                        }
                    }
                }
            }
        }
    }

    static let refusalsID = "refusals"

    static func codeID(_ code: String) -> String { "code-\(code)" }
}

/// A status with its colour.
func status(_ text: String, _ html: inout HTML) {
    html.element("span", [.class("status s\(text.prefix(1))")], text: text)
}

/// A name within the page: letters and digits of the text, hyphens for everything else.
func identifier(_ kind: String, _ text: String) -> String {
    kind + "-" + String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
}
