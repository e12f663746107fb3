/// How one kind of value is written, checked and shown.
struct ValueForm<Value> {
    /// Completes "… is not": `a port number`.
    let noun: String
    /// What to write instead: a sentence.
    let advice: String
    /// The value, or why the text holds none.
    let parse: (String) throws(ValueRefusal) -> Value
    /// The value as it would be written, secrets hidden.
    let show: (Value) -> String
    /// A refused text as it may be shown; nil hides it whole.
    var showRefused: (String) -> String? = Redaction.quoted
    /// Whether the text itself must stay out of all records of reading.
    var isSecret = false
}

/// Why a text is not a value.
struct ValueRefusal: Error {
    /// In place of the form's "… is not a …": a clause that follows the found text.
    var reason: String?
    /// In place of the form's advice.
    var advice: String?
}

/// Parts of values that must not be seen.
enum Redaction {
    /// A text in quotation marks on one line, without credentials, cut to a bearable length.
    static func quoted(_ text: String) -> String? {
        // A key pasted where its path belongs.
        if text.contains("PRIVATE KEY") { return nil }
        let visible = withoutUserInfo(text)
        var line = ""
        for scalar in visible.unicodeScalars.prefix(80) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            line.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
        }
        return "\"\(line)\(visible.unicodeScalars.count > 80 ? "…" : "")\""
    }

    /// A URL with `***` for user and password.
    static func withoutUserInfo(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
        return "\(scheme)***\(text[at...])"
    }

    /// A URL with `***` for its query.
    static func withoutQuery(_ url: String) -> String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        return "\(url[...mark])***"
    }

    /// A refused URL's scheme, which is all that is certainly no secret.
    static func schemeOnly(_ text: String) -> String? {
        guard let mark = text.firstRange(of: "://"), text[..<mark.lowerBound].allSatisfy(\.isLetter) else { return nil }
        return "\"\(text[..<mark.upperBound])…\""
    }
}
