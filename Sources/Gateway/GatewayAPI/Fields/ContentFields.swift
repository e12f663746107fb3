import LiveActivity

extension JSONValue {
    /// The content of a start or an update.
    /// - Parameter needsAlert: whether title and message are required.
    func requiredContent(needsAlert: Bool) throws -> Content {
        guard let content = try content() else {
            throw APIError(.contentRequired, "content is required")
        }
        guard content.contentState != nil else {
            throw APIError(.contentRequired, "content.content_state is required: an object")
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
        return Content(
            title: try object.slice("title", .string, "a string"),
            message: try object.slice("message", .string, "a string"),
            contentState: try object.slice("content_state", .object, "an object"),
            attributes: try object.slice("attributes", .object, "an object"))
    }

    private func slice(_ name: String, _ kind: Kind, _ expected: String) throws -> ArraySlice<UInt8>? {
        guard let value = try optional(name) else { return nil }
        guard value.kind == kind else { throw APIError.invalid("content.\(name)", expected) }
        return value.slice
    }
}
