extension DocumentValue {
    /// What a value with `$ref` stands for: the part of the document that is named, with what stands beside the name.
    func resolved(in root: DocumentValue) -> DocumentValue {
        var value = self
        // A circle of names would go on for ever.
        for _ in 0..<16 {
            guard let name = value["$ref"]?.string, let target = root.part(name) else { return value }
            value = target.merging(value.without("$ref"))
        }
        return value
    }

    /// The last part of the name that this value refers to.
    var referenceName: String? {
        self["$ref"]?.string.flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    /// The part that a fragment such as `#/components/schemas/Error` names (RFC 6901).
    private func part(_ fragment: String) -> DocumentValue? {
        guard fragment.hasPrefix("#/") else { return nil }
        var value: DocumentValue? = self
        for part in fragment.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false) {
            value = value?[DocumentValue.unescape(part)]
        }
        return value
    }

    private static func unescape(_ part: Substring) -> String {
        part.split(separator: "~1", omittingEmptySubsequences: false).map { piece in
            piece.split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
        }.joined(separator: "/")
    }
}
