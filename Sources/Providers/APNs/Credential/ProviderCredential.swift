public import PushClient
public import Secrets

/// The signing key of provider tokens, from the `.p8` file of Apple's developer site.
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

    /// Returns the mark that distinguishes this credential from others. Reads and checks the key file.
    public func mark() throws(PushConfigurationError) -> CredentialMark {
        CredentialMark(
            names: [teamIdentifier, keyIdentifier],
            keyDigest: try sealingKey(label: Self.markLabel)?.digest(of: []))
    }

    /// Derives a sealing key from the signing key, for a label. Returns nil if OpenSSL fails. Throws if the file is
    /// unusable.
    public func sealingKey(label: String) throws(PushConfigurationError) -> SealingKey? {
        try Self.sealingKey(ofFile: keyFile, label: label)
    }

    /// Derives a sealing key from any signing key, for example a replaced one.
    public static func sealingKey(ofFile file: String, label: String) throws(PushConfigurationError) -> SealingKey? {
        try SigningKey(file: file).sealingKey(label: label)
    }
}
