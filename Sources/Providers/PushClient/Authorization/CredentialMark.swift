/// Identifies a credential by its names and its key, independent of the file.
public struct CredentialMark: Equatable, Sendable {
    private let names: [String]
    private let keyDigest: [UInt8]

    /// - Parameter keyDigest: A digest that identifies the key but does not reveal it; nil if OpenSSL fails.
    public init(names: [String], keyDigest: [UInt8]?) {
        self.names = names
        self.keyDigest = keyDigest ?? []
    }
}
