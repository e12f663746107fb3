extension Keys {
    /// A hash of the operators by name, each with the key's hash and creation time.
    static let operators = "fanfare:operators"

    /// A console session, by the hash of the browser's secret.
    static func session(_ hash: String) -> String { "fanfare:{c:\(hash)}" }
}
