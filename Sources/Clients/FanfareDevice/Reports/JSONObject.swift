import Foundation

/// Writes a JSON object in the order of the calls. Raw JSON is inserted byte for byte.
struct JSONObject {
    private var text = "{"

    var data: Data { Data((text + "}").utf8) }

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        add(name, json: JSONObject.quoted(value))
    }

    mutating func add(_ name: String, _ value: Bool) { add(name, json: value ? "true" : "false") }

    mutating func add(_ name: String, _ value: Int) { add(name, json: String(value)) }

    /// - Parameter json: Raw JSON; nil omits the field.
    mutating func add(_ name: String, json: String?) {
        guard let json else { return }
        if text.utf8.count > 1 { text += "," }
        text += JSONObject.quoted(name) + ":" + json
    }

    /// Returns the text as an escaped JSON string.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
