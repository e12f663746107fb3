extension Keys {
    /// A hash: an operator's name, and the hash of the key with when it was made.
    static let operators = "fanfare:operators"

    /// Who has signed in at the console, by the hash of what the browser was given for it.
    static func session(_ hash: String) -> String { "fanfare:{c:\(hash)}" }
}
