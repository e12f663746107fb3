public import FCMCore
public import PushClient
public import Secrets

/// The file of a service account's key, as issued by Google.
public enum ServiceAccountFile {
    /// Reads the service account without checking its key. Errors name the cause and never contain bytes of the file.
    public static func read(_ path: String) throws(PushConfigurationError) -> ServiceAccount {
        let bytes: [UInt8]
        do {
            bytes = try PrivateKeyFile.read(path)
        } catch {
            throw .keyFile(path: path, reason: error.reason)
        }
        do {
            return try ServiceAccount(file: bytes)
        } catch {
            throw .keyFile(path: path, reason: error.description)
        }
    }

    private static let markLabel = "fanfare credential mark v1"

    /// Returns the mark that distinguishes the account and its key from others. Reads and checks the file.
    static func mark(ofFile path: String) throws(PushConfigurationError) -> CredentialMark {
        let account = try read(path)
        return CredentialMark(
            names: [account.projectID, account.clientEmail, account.privateKeyID ?? ""],
            keyDigest: try RSASigningKey(of: account, file: path).sealingKey(label: markLabel)?.digest(of: []))
    }

    /// Derives a sealing key from the account's private key, for a label. Returns nil if OpenSSL fails. Throws if the
    /// file is unusable.
    public static func sealingKey(ofFile path: String, label: String) throws(PushConfigurationError) -> SealingKey? {
        try RSASigningKey(of: read(path), file: path).sealingKey(label: label)
    }
}
