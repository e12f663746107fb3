/// What tells one credential from another: its names, and the key itself, whichever file that is read from.
public struct CredentialMark: Equatable, Sendable {
    private let names: [String]
    private let keyDigest: [UInt8]

    /// - Parameter keyDigest: the same for the same key, and of no help to whoever wants to know it; nil when OpenSSL
    ///   fails.
    public init(names: [String], keyDigest: [UInt8]?) {
        self.names = names
        self.keyDigest = keyDigest ?? []
    }
}
