public import FCMCore
public import PushClient
public import Secrets

/// The file of a service account's key, as Google gives it out.
public enum ServiceAccountFile {
    /// What it says. Errors name what is wrong, and never hold bytes of the file. Whether the key in it can be used is
    /// not looked at.
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

    /// What tells the account and its key from another one. Reads and checks the file.
    static func mark(ofFile path: String) throws(PushConfigurationError) -> CredentialMark {
        let account = try read(path)
        return CredentialMark(
            names: [account.projectID, account.clientEmail, account.privateKeyID ?? ""],
            keyDigest: try RSASigningKey(of: account, file: path).sealingKey(label: markLabel)?.digest(of: []))
    }

    /// A key that only those have who have this account's private key; another one for each label. Nil when OpenSSL
    /// fails. Throws when the file cannot be used.
    public static func sealingKey(ofFile path: String, label: String) throws(PushConfigurationError) -> SealingKey? {
        try RSASigningKey(of: read(path), file: path).sealingKey(label: label)
    }
}
