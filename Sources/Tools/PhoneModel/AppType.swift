import LiveActivity

/// The Codable types of an app's Live Activity: the members that a decoder requires, with their forms.
package struct AppType: Sendable {
    /// A JSON form that a member's Swift type decodes from.
    package enum Form: String, Sendable {
        case integer = "Int"
        case number = "Double"
        case text = "String"
        case flag = "Bool"
    }

    /// The name of the attributes type: `activity_type` of the API.
    package let name: String
    private let attributes: [(name: String, form: Form)]
    private let state: [(name: String, form: Form)]

    package init(_ name: String, attributes: KeyValuePairs<String, Form>, state: KeyValuePairs<String, Form>) {
        self.name = name
        self.attributes = attributes.map { ($0.key, $0.value) }
        self.state = state.map { ($0.key, $0.value) }
    }

    /// Returns the reason why a value does not decode as the app's attributes, or nil.
    func mismatch(attributes value: JSONValue?) -> String? { Self.mismatch(value, attributes, "attributes") }

    /// Returns the reason why a value does not decode as the app's content state, or nil.
    func mismatch(state value: JSONValue?) -> String? { Self.mismatch(value, state, "content-state") }

    /// Ignores members that the type does not have, like a decoder.
    private static func mismatch(_ value: JSONValue?, _ members: [(name: String, form: Form)], _ name: String)
        -> String?
    {
        guard let value, value.kind == .object else { return "\(name) is \(value?.spelling ?? "missing")" }
        for (member, form) in members {
            guard let found = try? value.member(member) else { return "\(name) lacks \(member)" }
            guard form.fits(found) else {
                return "\(name) has \(member): \(found.spelling), which is no \(form.rawValue)"
            }
        }
        return nil
    }
}

extension AppType.Form {
    fileprivate func fits(_ value: JSONValue) -> Bool {
        switch self {
        // Foundation's decoder accepts 1.0 for an Int.
        case .integer: value.int64 != nil || value.double.map { $0 == $0.rounded() } ?? false
        case .number: value.double != nil
        case .text: value.string != nil
        case .flag: value.bool != nil
        }
    }
}

extension JSONValue {
    /// The bytes as they came.
    var spelling: String { String(decoding: slice, as: UTF8.self) }
}
