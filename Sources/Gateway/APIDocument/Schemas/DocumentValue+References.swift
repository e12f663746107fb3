extension DocumentValue {
    /// Returns the target of a `$ref`, merged with the members beside it.
    func resolved(in root: DocumentValue) -> DocumentValue {
        var value = self
        // The limit stops at circular references.
        for _ in 0..<16 {
            guard let name = value["$ref"]?.string, let target = root.part(name) else { return value }
            value = target.merging(value.without("$ref"))
        }
        return value
    }

    /// The last part of the reference.
    var referenceName: String? {
        self["$ref"]?.string.flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    /// Returns the part at a fragment, for example `#/components/schemas/Error` (RFC 6901).
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
