/// The parser and text form of one kind of value.
struct ValueForm<Value> {
    /// The noun that completes "… is not", like `a port number`.
    let noun: String
    /// The instruction for a refused value, as a sentence.
    let advice: String
    /// Returns the value, or throws the reason why the text has none.
    let parse: (String) throws(ValueRefusal) -> Value
    /// Returns the value in its written form, with secrets hidden.
    let show: (Value) -> String
    /// Returns a refused text in a safe form; nil hides it.
    var showRefused: (String) -> String? = Redaction.quoted
    /// True if the text must not appear in records.
    var isSecret = false
}

/// The reason why a text is not a value.
struct ValueRefusal: Error {
    /// A clause that follows the found text. It replaces the form's "… is not a …".
    var reason: String?
    /// The advice that replaces the form's.
    var advice: String?
}

/// Hides secret parts of values.
enum Redaction {
    /// Returns the text on one line in quotation marks, without credentials, cut to 80 characters. Nil for a private
    /// key.
    static func quoted(_ text: String) -> String? {
        // A key was set in place of its path.
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

    /// Returns a refused URL's scheme, the only part that is certainly not secret.
    static func schemeOnly(_ text: String) -> String? {
        guard let mark = text.firstRange(of: "://"), text[..<mark.lowerBound].allSatisfy(\.isLetter) else { return nil }
        return "\"\(text[..<mark.upperBound])…\""
    }
}
