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
