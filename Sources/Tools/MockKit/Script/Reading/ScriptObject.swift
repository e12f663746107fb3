import Encodings
import LiveActivity

/// One object of a script, read strictly. Errors are `path: what is wrong`, such as
/// `rules[2].reson: unknown; did you mean "reason"?`.
package struct ScriptObject<Key: ScriptKey> {
    private let value: JSONValue
    private let place: String

    /// Reads a whole script. Throws when the text is no JSON, and as the other initializer does.
    package init(script: [UInt8]) throws(MockError) {
        let root: JSONValue
        do {
            root = try JSONDocument(parsing: script).root
        } catch {
            throw MockError("the script is not JSON: \(error)")
        }
        try self.init(root, at: "")
    }

    /// Throws when the value is no object, or has a key that is unknown or stands twice.
    /// - Parameter place: its path in the script, empty for the script itself.
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

    /// Its end of a message about something that is not among `known`: what may have been meant, if anything is near.
    package static func advice(for name: String, in known: [String]) -> String {
        NearestName.find(name, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// What is wrong with the object as a whole.
    package func error(_ text: String) -> MockError {
        MockError("\(place.isEmpty ? "the script" : place): \(text)")
    }

    /// What is wrong with a member.
    package func error(_ key: Key, _ text: String) -> MockError {
        MockError("\(path(key.rawValue)): \(text)")
    }

    /// What is wrong with an element of a member that is an array.
    package func error(_ key: Key, _ index: Int, _ text: String) -> MockError {
        MockError("\(path(key.rawValue))[\(index)]: \(text)")
    }

    /// The member's value; nil when there is none.
    package func member(_ key: Key) -> JSONValue? {
        // A key stands once: that has been checked.
        try? value.member(key.rawValue)
    }

    /// The value of a member that must be there.
    package func required<Value>(_ key: Key, _ value: Value?) throws(MockError) -> Value {
        guard let value else { throw error(key, "is required") }
        return value
    }

    /// The one of these keys that is there; nil when none is. Throws when there are several.
    package func onlyOne(of keys: [Key]) throws(MockError) -> Key? {
        let given = keys.filter { member($0) != nil }
        guard given.count < 2 else { throw error(given[1], "is not allowed with \(given[0].rawValue)") }
        return given.first
    }

    /// Throws when one of the keys is there, because it would change nothing.
    package func refuse(_ keys: Key..., because reason: String) throws(MockError) {
        for key in keys where member(key) != nil { throw error(key, reason) }
    }

    /// The object that the member is.
    package func object<Inner: ScriptKey>(_ key: Key, _ keys: Inner.Type) throws(MockError) -> ScriptObject<Inner>? {
        guard let member = member(key) else { return nil }
        return try ScriptObject<Inner>(member, at: path(key.rawValue))
    }

    /// The objects of an array; none when the member is not there.
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
