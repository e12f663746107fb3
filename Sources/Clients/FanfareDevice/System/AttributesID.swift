import Foundation

/// Finds the gateway's id of an activity in the attributes of a Live Activity.
enum AttributesID {
    /// The text that the attributes have under a key when they are encoded as JSON; nil where they have none.
    static func find(_ key: String, in attributes: some Encodable) -> String? {
        guard let data = try? JSONEncoder().encode(attributes),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return nil }
        return object[key] as? String
    }
}
