import Foundation
import GatewayConfiguration
import GatewayStore
import RedisServerProcess
import Secrets

/// The key that seals identity and webhook secrets. It comes from the configured file, or from a generated one in
/// `redis.data_dir`.
struct SealingKeyFile {
    /// The key for webhook secrets. Nil if other gateways may lack the key, because any gateway may have to deliver.
    let webhooks: WebhookSecrets?
    let identity: IdentitySecrets
    let path: String
    /// The generated file next to an external Redis; nil if all gateways and commands have the key.
    let localPath: String?
    /// A note about a key that was just generated next to an external Redis; otherwise nil.
    private(set) var note: String?

    private static let sizeLimit = 65_536

    /// Returns the key. Nil if an external Redis is used, no key is configured, and none exists or can be made.
    /// - Parameter making: True to generate a missing key next to an external Redis. A private Redis always gets one.
    static func read(_ configuration: GatewayConfiguration, making: Bool) throws -> SealingKeyFile? {
        let former = try configuration.events.formerSealingKeyFiles.map {
            try contents($0, "events.former_sealing_key_files")
        }
        if let path = configuration.events.sealingKeyFile { return try read(path, former, isLocal: false) }
        let directory = configuration.redis.dataDirectory
        let path = configuration.redis.localSealingKeyFile
        let isPrivate = configuration.redis.url == nil
        var isNew = false
        if !FileManager.default.fileExists(atPath: path) {
            guard isPrivate || making else { return nil }
            do {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                isNew = try make(path)
            } catch {
                guard isPrivate else { return nil }
                throw error
            }
        }
        do {
            // A user who can put a key in this directory can read the secrets sealed with it.
            try RedisServerProcess.verify(directory, alsoHolding: URL(filePath: path).lastPathComponent)
        } catch {
            throw CommandFailure("redis.data_dir: \(error)")
        }
        try narrow(path)
        var file = try read(path, former, isLocal: !isPrivate)
        if isNew, !isPrivate {
            file.note = """
                created the sealing key \(path), which encrypts identity secrets. Copy it to gateways and commands on \
                other machines or with another redis.data_dir, and name it there in events.sealing_key_file
                """
        }
        return file
    }

    /// Removes the permissions of other users from the gateway's own key.
    private static func narrow(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        guard chmod(path, status.st_mode & 0o700) == 0 else {
            throw CommandFailure(
                "other users can read \(path), and its mode cannot be changed. Run: chmod 600 \(path)")
        }
    }

    private static func read(_ path: String, _ former: [[UInt8]], isLocal: Bool) throws -> SealingKeyFile {
        let material = try contents(path, "events.sealing_key_file")
        guard let webhooks = WebhookSecrets(keyMaterial: material, former: former),
            let identity = IdentitySecrets(keyMaterial: material, former: former)
        else { throw CommandFailure("events.sealing_key_file: \(path) has no usable key") }
        return SealingKeyFile(
            webhooks: isLocal ? nil : webhooks, identity: identity, path: path, localPath: isLocal ? path : nil)
    }

    private static func contents(_ path: String, _ key: String) throws -> [UInt8] {
        switch BoundedFile.read(path, limit: sizeLimit) {
        case .missing: throw CommandFailure("\(key): \(path) does not exist")
        case .refused(let clause): throw CommandFailure("\(key): \(path) \(clause)")
        case .contents(let bytes, _):
            guard bytes.count >= WebhookSecrets.minimumKeyLength else {
                throw CommandFailure("\(key): \(path) has fewer than \(WebhookSecrets.minimumKeyLength) bytes")
            }
            return bytes
        }
    }

    /// Creates the file atomically. Returns false if it exists or another process was faster.
    private static func make(_ path: String) throws -> Bool {
        guard let bytes = RandomBytes.make(WebhookSecrets.minimumKeyLength) else {
            throw CommandFailure("the system's random number generator failed")
        }
        let draft = "\(path).\(UUID().uuidString)"
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("\(path) cannot be written") }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        do {
            try FileManager.default.linkItem(atPath: draft, toPath: path)
            return true
        } catch {
            return false
        }
    }
}
