import Encodings
import LiveActivity

// The fields of a request. An absent field and `null` are the same; a value of the wrong type names the field.
extension JSONValue {
    func optional(_ name: String) throws -> JSONValue? {
        do {
            guard let value = try member(name), value.kind != .null else { return nil }
            return value
        } catch {
            throw APIError(error)
        }
    }

    /// The error for a required field that is missing or has the wrong type or form.
    func refusal(_ name: String, _ form: String) throws -> APIError {
        guard try optional(name) == nil else { return APIError.invalid(name, form) }
        return APIError(.validationFailed, "\(name) is required: \(form)")
    }

    func optionalString(_ name: String, path: String? = nil) throws -> String? {
        guard let value = try optional(name) else { return nil }
        guard let text = value.string else { throw APIError.invalid(path ?? name, value.asString) }
        return text
    }

    /// The expected form of a value that has no `string`.
    var asString: String {
        kind == .string ? "a string with at most \(StreamSafeText.longestRow) combining marks in a row" : "a string"
    }

    func optionalBool(_ name: String, path: String? = nil) throws -> Bool? {
        guard let value = try optional(name) else { return nil }
        guard let bool = value.bool else { throw APIError.invalid(path ?? name, "true or false") }
        return bool
    }

    func optionalObject(_ name: String, path: String? = nil) throws -> JSONValue? {
        guard let value = try optional(name) else { return nil }
        guard value.kind == .object else { throw APIError.invalid(path ?? name, "an object") }
        return value
    }

    func optionalArray(_ name: String, path: String? = nil) throws -> JSONValue? {
        guard let value = try optional(name) else { return nil }
        guard value.kind == .array else { throw APIError.invalid(path ?? name, "an array") }
        return value
    }

    /// The number if it is whole. Accepts 5, 5.0 and 5e0, because they are one number in JSON Schema and some clients
    /// have no other spelling.
    var integer: Int64? { int64 ?? double.flatMap { Int64(exactly: $0) } }

    /// A string that is not blank, or nil.
    func text(_ name: String) throws -> String? {
        guard let text = try optionalString(name) else { return nil }
        // A visible ASCII character at the beginning saves the search for Unicode's white space.
        if let first = text.utf8.first, (0x21...0x7E).contains(first) { return text }
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }
}
