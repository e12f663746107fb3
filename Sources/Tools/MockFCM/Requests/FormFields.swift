import Encodings

/// The fields of a body of type `application/x-www-form-urlencoded` (the URL standard, section 5.1).
struct FormFields {
    private var fields: [String: String] = [:]

    /// Returns nil for an invalid escape, text that is not UTF-8, or a repeated field.
    init?(_ body: [UInt8]) {
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.text(parts[0]), let value = Self.text(parts.count > 1 ? parts[1] : []),
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    subscript(_ name: String) -> String? { fields[name] }

    private static func text(_ escaped: ArraySlice<UInt8>) -> String? {
        let spaced = escaped.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.decode(spaced).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
