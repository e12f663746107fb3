import Encodings
import LiveActivity

/// A strict reader of one object of a script. Errors have the form `path: problem`, for example `rules[2].reson:
/// unknown; did you mean "reason"?`.
package struct ScriptObject<Key: ScriptKey> {
    private let value: JSONValue
    private let place: String

    /// Reads a whole script. Throws if the text is not JSON, not an object, or has unknown or repeated keys.
    package init(script: [UInt8]) throws(MockError) {
        let root: JSONValue
        do {
            root = try JSONDocument(parsing: script).root
        } catch {
            throw MockError("the script is not JSON: \(error)")
        }
        try self.init(root, at: "")
    }

    /// Throws if the value is not an object, or has an unknown or repeated key.
    /// - Parameter place: The path in the script; empty for the script itself.
    package init(_ value: JSONValue, at place: String) throws(MockError) {
        self.value = value
        self.place = place
        guard value.kind == .object else { throw error("must be an object") }
        var seen: Set<String> = []
        for name in value.memberNames {
            guard Key(rawValue: name) != nil else {
                throw MockError("\(path(name)): unknown\(Self.advice(for: name, in: Key.spellings))")
            }
            guard seen.insert(name).inserted else { throw MockError("\(path(name)): appears twice") }
        }
    }

    private func path(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    /// Returns the end of an error message that suggests the nearest known name; empty if none is near.
    package static func advice(for name: String, in known: [String]) -> String {
        NearestName.find(name, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// Returns an error about the object as a whole.
    package func error(_ text: String) -> MockError {
        MockError("\(place.isEmpty ? "the script" : place): \(text)")
    }

    /// Returns an error about a member.
    package func error(_ key: Key, _ text: String) -> MockError {
        MockError("\(path(key.rawValue)): \(text)")
    }

    /// Returns an error about an element of an array member.
    package func error(_ key: Key, _ index: Int, _ text: String) -> MockError {
        MockError("\(path(key.rawValue))[\(index)]: \(text)")
    }

    /// The member's value; nil if it is missing.
    package func member(_ key: Key) -> JSONValue? {
        // The initializer has rejected repeated keys, so this does not throw.
        try? value.member(key.rawValue)
    }

    /// Returns the value of a required member. Throws if it is missing.
    package func required<Value>(_ key: Key, _ value: Value?) throws(MockError) -> Value {
        guard let value else { throw error(key, "is required") }
        return value
    }

    /// Returns the only one of these keys that is present; nil if none is. Throws if several are present.
    package func onlyOne(of keys: [Key]) throws(MockError) -> Key? {
        let given = keys.filter { member($0) != nil }
        guard given.count < 2 else { throw error(given[1], "is not allowed with \(given[0].rawValue)") }
        return given.first
    }

    /// Throws if one of the keys is present, because it would have no effect.
    package func refuse(_ keys: Key..., because reason: String) throws(MockError) {
        for key in keys where member(key) != nil { throw error(key, reason) }
    }

    /// Reads a member that is an object; nil if it is missing.
    package func object<Inner: ScriptKey>(_ key: Key, _ keys: Inner.Type) throws(MockError) -> ScriptObject<Inner>? {
        guard let member = member(key) else { return nil }
        return try ScriptObject<Inner>(member, at: path(key.rawValue))
    }

    /// Reads a member that is an array of objects; empty if it is missing.
    package func objects<Inner: ScriptKey>(_ key: Key, _ keys: Inner.Type) throws(MockError) -> [ScriptObject<Inner>] {
        guard let member = member(key) else { return [] }
        guard member.kind == .array else { throw error(key, "must be an array of objects") }
        var objects: [ScriptObject<Inner>] = []
        for (index, element) in member.elements.enumerated() {
            objects.append(try ScriptObject<Inner>(element, at: "\(path(key.rawValue))[\(index)]"))
        }
        return objects
    }
}
