/// A schema as people read it.
struct SchemaView {
    let root: DocumentValue
    /// Without references and `allOf`.
    let schema: DocumentValue
    /// What it is called among the components.
    let name: String?

    init(_ schema: DocumentValue, in root: DocumentValue) {
        self.root = root
        name = schema.referenceName
        self.schema = SchemaView.flat(schema, root)
    }

    struct Field {
        let name: String
        let view: SchemaView
        let isRequired: Bool
    }

    /// The members of an object, required ones as they are marked.
    var fields: [Field] {
        let required = schema["required"]?.elements.compactMap(\.string) ?? []
        return (schema["properties"]?.members ?? []).map { name, value in
            Field(name: name, view: SchemaView(value, in: root), isRequired: required.contains(name))
        }
    }

    var description: String? { schema["description"]?.string }

    /// The elements of an array.
    var items: SchemaView? { schema["items"].map { SchemaView($0, in: root) } }

    /// The members of an object, or of an array's elements.
    var inner: SchemaView? {
        if !fields.isEmpty { return self }
        guard let items, !items.fields.isEmpty else { return nil }
        return items
    }

    var alternatives: [SchemaView] {
        (schema["oneOf"] ?? schema["anyOf"])?.elements.map { SchemaView($0, in: root) } ?? []
    }

    /// The values that are possible, `null` left out.
    var values: [DocumentValue] {
        if let only = schema["const"] { return [only] }
        return (schema["enum"]?.elements ?? []).filter { $0 != .null }
    }

    /// The type in few words.
    var type: String {
        if let items { return "array of \(items.type)" }
        let types = (schema["type"].map { $0.string.map { [$0] } ?? $0.elements.compactMap(\.string) } ?? [])
            .filter { $0 != "null" }
        var text = types.joined(separator: " or ")
        if text.isEmpty { text = values.isEmpty ? "any" : "string" }
        if let format = schema["format"]?.string, types == ["string"] { text += " (\(format))" }
        return text
    }

    /// What a value must keep to, and its default.
    var limits: [String] {
        var limits: [String] = []
        add("length", "minLength", "maxLength", to: &limits)
        add("elements", "minItems", "maxItems", to: &limits)
        add("value", "minimum", "maximum", to: &limits)
        // A long one says less to people than its description does.
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

    private static func flat(_ schema: DocumentValue, _ root: DocumentValue) -> DocumentValue {
        let schema = schema.resolved(in: root)
        guard let parts = schema["allOf"]?.elements else { return schema }
        return parts.reduce(schema.without("allOf")) { whole, part in
            let part = flat(part, root)
            var merged = whole.merging(part)
            for name in ["properties", "required"] {
                guard let own = whole[name], let more = part[name] else { continue }
                merged = merged.merging(.mapping([.init(name: name, value: join(own, more, root))]))
            }
            return merged
        }
    }

    private static func join(_ own: DocumentValue, _ more: DocumentValue, _ root: DocumentValue) -> DocumentValue {
        if case .sequence(let elements) = own { return .sequence(elements + more.elements) }
        // A member that both describe keeps what either says of it.
        return more.members.reduce(own) { whole, member in
            let known = whole[member.name].map { $0.resolved(in: root).merging(member.value) } ?? member.value
            return whole.merging(.mapping([.init(name: member.name, value: known)]))
        }
    }
}
