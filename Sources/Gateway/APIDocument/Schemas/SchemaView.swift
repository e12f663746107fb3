/// A schema as the page shows it.
struct SchemaView {
    let root: DocumentValue
    /// The schema without references.
    let schema: DocumentValue
    /// The name among the components; nil without one.
    let name: String?

    init(_ schema: DocumentValue, in root: DocumentValue) {
        self.root = root
        name = schema.referenceName
        self.schema = schema.resolved(in: root)
    }

    struct Field {
        let name: String
        let view: SchemaView
        let isRequired: Bool
    }

    /// The members of an object; required ones are marked.
    var fields: [Field] {
        let required = schema["required"]?.elements.compactMap(\.string) ?? []
        return (schema["properties"]?.members ?? []).map { name, value in
            Field(name: name, view: SchemaView(value, in: root), isRequired: required.contains(name))
        }
    }

    var description: String? { schema["description"]?.string }

    /// The elements of an array.
    var items: SchemaView? { schema["items"].map { SchemaView($0, in: root) } }

    /// The schema with the members of an object, or of an array's elements.
    var inner: SchemaView? {
        if !fields.isEmpty { return self }
        guard let items, !items.fields.isEmpty else { return nil }
        return items
    }

    /// The possible schemas of `x-data`, each once.
    var kinds: [SchemaView] {
        var names: Set<String?> = []
        return (schema["x-data"]?.members ?? []).map { SchemaView($0.value, in: root) }
            .filter { names.insert($0.name).inserted }
    }

    /// The possible values, if they are listed.
    var values: [DocumentValue] {
        if let only = schema["const"] { return [only] }
        return schema["enum"]?.elements ?? []
    }

    /// A short name of the type.
    var type: String {
        if let items { return "array of \(items.type)" }
        let types = schema["type"].map { $0.string.map { [$0] } ?? $0.elements.compactMap(\.string) } ?? []
        var text = types.joined(separator: " or ")
        if text.isEmpty { text = values.isEmpty ? "any" : "string" }
        if let format = schema["format"]?.string, types == ["string"] { text += " (\(format))" }
        return text
    }

    /// The constraints and the default.
    var limits: [String] {
        var limits: [String] = []
        add("length", "minLength", "maxLength", to: &limits)
        add("elements", "minItems", "maxItems", to: &limits)
        add("value", "minimum", "maximum", to: &limits)
        // A long pattern is less readable than the description.
        if let pattern = schema["pattern"]?.string, pattern.utf8.count <= 40 { limits.append("pattern \(pattern)") }
        if let standard = schema["default"] { limits.append("default \(standard.text)") }
        return limits
    }

    private func add(_ what: String, _ least: String, _ most: String, to limits: inout [String]) {
        switch (schema[least]?.text, schema[most]?.text) {
        case (let least?, let most?): limits.append("\(what) \(least) to \(most)")
        case (let least?, nil): limits.append("\(what) at least \(least)")
        case (nil, let most?): limits.append("\(what) at most \(most)")
        case (nil, nil): break
        }
    }
}
