public import PushClient
public import Secrets

/// What signs provider tokens: the key that Apple's developer site gave out once as a `.p8` file.
public struct ProviderCredential: Equatable, Sendable {
    /// The path of a PEM file with a PKCS#8 private key on the curve P-256.
    public let keyFile: String
    /// The key's identifier: ten characters.
    public let keyIdentifier: String
    /// The team's identifier: ten characters.
    public let teamIdentifier: String

    public init(keyFile: String, keyIdentifier: String, teamIdentifier: String) {
        self.keyFile = keyFile
        self.keyIdentifier = keyIdentifier
        self.teamIdentifier = teamIdentifier
    }
}

extension ProviderCredential {
    private static let markLabel = "fanfare credential mark v1"

    /// What tells it from another one. Reads and checks the key file.
    public func mark() throws(PushConfigurationError) -> CredentialMark {
        CredentialMark(
            names: [teamIdentifier, keyIdentifier],
            keyDigest: try sealingKey(label: Self.markLabel)?.digest(of: []))
    }

    /// A key that only those have who have this signing key; another one for each label. Nil when OpenSSL fails. Throws
    /// when the file cannot be used.
    public func sealingKey(label: String) throws(PushConfigurationError) -> SealingKey? {
        try Self.sealingKey(ofFile: keyFile, label: label)
    }

    /// The same for any signing key, such as one that was replaced.
    public static func sealingKey(ofFile file: String, label: String) throws(PushConfigurationError) -> SealingKey? {
        try SigningKey(file: file).sealingKey(label: label)
    }
}
