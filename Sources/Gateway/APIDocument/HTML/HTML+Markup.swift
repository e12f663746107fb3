// The part of Markdown that the document's descriptions use: paragraphs, lists, `code` and **bold**.
extension HTML {
    /// Writes paragraphs and lists.
    mutating func markup(_ text: String) {
        for paragraph in HTML.paragraphs(text) {
            if paragraph.allSatisfy({ $0.hasPrefix("- ") }) {
                element("ul") { html in
                    for item in paragraph { html.element("li") { $0.inline(String(item.dropFirst(2))) } }
                }
            } else {
                element("p") { $0.inline(paragraph.joined(separator: " ")) }
            }
        }
    }

    /// Writes one paragraph without its element.
    mutating func inline(_ text: String) {
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "`" || $0 == "*" }) {
            self.text(String(rest[..<start]))
            rest = rest[start...]
            if let (inner, after) = HTML.span(rest, "`") {
                element("code", text: String(inner))
                rest = after
            } else if let (inner, after) = HTML.span(rest, "**") {
                element("strong") { $0.inline(String(inner)) }
                rest = after
            } else {
                self.text(String(rest.removeFirst()))
            }
        }
        self.text(String(rest))
    }

    /// Returns the text between a mark at the beginning and its next occurrence, and the rest.
    private static func span(_ text: Substring, _ mark: String) -> (inner: Substring, after: Substring)? {
        guard text.hasPrefix(mark) else { return nil }
        let rest = text.dropFirst(mark.count)
        var index = rest.startIndex
        while index < rest.endIndex {
            if rest[index...].hasPrefix(mark), index > rest.startIndex {
                return (rest[..<index], rest[index...].dropFirst(mark.count))
            }
            index = rest.index(after: index)
        }
        return nil
    }

    private static func paragraphs(_ text: String) -> [[Substring]] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split(whereSeparator: { line in line.allSatisfy { $0 == " " } })
            .map { Array($0) }
    }
}
