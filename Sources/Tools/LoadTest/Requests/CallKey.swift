/// A key of a tenant. Shown nowhere.
struct CallKey: Sendable, CustomStringConvertible {
    let value: String

    /// - Parameter name: What to call the key in the error, which never holds the key itself.
    init(_ value: String, name: String) throws(LoadTestError) {
        guard !value.isEmpty, value.utf8.count <= 512, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw LoadTestError("\(name) must be 1 to 512 visible ASCII characters")
        }
        self.value = value
    }

    var description: String { "a key" }
}
