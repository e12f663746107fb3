import LiveActivity

extension JSONValue {
    /// The content of a start or an update.
    /// - Parameter needsAlert: whether title and message are required.
    func requiredContent(needsAlert: Bool) throws -> Content {
        guard let content = try content() else {
            throw APIError(.contentRequired, "content is required")
        }
        guard content.contentState != nil else {
            throw APIError(.contentRequired, "content.content_state is required and must be an object")
        }
        if needsAlert {
            guard content.title != nil else { throw APIError(.contentRequired, "content.title is required") }
            guard content.message != nil else { throw APIError(.contentRequired, "content.message is required") }
        }
        return content
    }

    /// The content as slices of the request, nil when there is none.
    func content() throws -> Content? {
        guard let object = try optionalObject("content") else { return nil }
        var content = try object.shownContent(under: "content.")
        content.attributes = try object.optionalObject("attributes", path: "content.attributes")?.slice
        return content
    }

    /// The alert and the state among the members of this object.
    /// - Parameter path: the place of the object, with a dot behind it.
    func shownContent(under path: String = "") throws -> Content {
        let alert = try ["title", "message"].map { try alertText($0, under: path) }
        if !alert.contains(where: { $0?.isBlank == false }), alert.contains(where: { $0 != nil }) {
            throw APIError(
                .validationFailed,
                "\(path)title or \(path)message must not be empty, because phones show no empty alert")
        }
        return Content(
            title: alert[0]?.slice, message: alert[1]?.slice,
            contentState: try optionalObject("content_state", path: "\(path)content_state")?.slice)
    }

    /// A text of an alert: a string, or an object that names a text of the app.
    private func alertText(_ name: String, under path: String) throws -> JSONValue? {
        guard let value = try optional(name) else { return nil }
        switch value.kind {
        case .string: return value
        case .object:
            try value.checkLocalizedText("\(path)\(name)")
            return value
        default: throw APIError.invalid("\(path)\(name)", "a string, or an object with loc-key and loc-args")
        }
    }

    /// Checks a text that the app has in its user's language (Apple, "Generating a remote notification").
    private func checkLocalizedText(_ path: String) throws {
        try KnownFields.check(self, ["loc-key", "loc-args"], under: "\(path).")
        guard let key = try optional("loc-key"), key.kind == .string, !key.isBlank else {
            throw APIError.invalid("\(path).loc-key", "the name of a text in the app")
        }
        // A null would reach the phone.
        guard firstMember(in: ["loc-args"]) != nil else { return }
        guard let values = try optional("loc-args"), values.kind == .array,
            values.elements.allSatisfy({ $0.kind == .string })
        else {
            throw APIError.invalid("\(path).loc-args", "an array of strings")
        }
    }

    /// True for a string without a visible character. Its beginning decides nearly always.
    var isBlank: Bool {
        guard kind == .string else { return false }
        if let first = slice.dropFirst().first, (0x21...0x7E).contains(first), first != UInt8(ascii: "\\") {
            return first == UInt8(ascii: "\"")
        }
        return String(decoding: unescapedBytes ?? [], as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
                || properties.generalCategory == .control
        }
    }
}
