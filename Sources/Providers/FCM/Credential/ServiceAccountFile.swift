public import FCMCore
public import PushClient
public import Secrets

/// The file of a service account's key, as Google gives it out.
public enum ServiceAccountFile {
    /// What it says. Errors name what is wrong, and never hold bytes of the file. Whether the key in it can be used is not
    /// looked at.
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

    /// A key that only those have who have this account's private key; another one for each label. Nil when OpenSSL fails.
    /// Throws when the file cannot be used.
    public static func sealingKey(ofFile path: String, label: String) throws(PushConfigurationError) -> SealingKey? {
        try RSASigningKey(of: read(path), file: path).sealingKey(label: label)
    }
}
