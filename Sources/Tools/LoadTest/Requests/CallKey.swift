/// A key of a tenant. Its description hides the value.
struct CallKey: Sendable, CustomStringConvertible {
    let value: String

    /// - Parameter name: The name of the key in the error, which never contains the key itself.
    init(_ value: String, name: String) throws(LoadTestError) {
        guard !value.isEmpty, value.utf8.count <= 512, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw LoadTestError("\(name) must be 1 to 512 visible ASCII characters")
        }
        self.value = value
    }

    var description: String { "a key" }
}
