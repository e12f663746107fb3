import Foundation
import GatewayConfiguration
import GatewayStore
import RedisServerProcess
import Secrets

/// The key that identity secrets and those of webhooks are sealed with: the file that is configured, or one that is
/// made in `redis.data_dir`.
struct SealingKeyFile {
    /// Nil when gateways elsewhere may not have the key: they would have to deliver what it seals.
    let webhooks: WebhookSecrets?
    let identity: IdentitySecrets
    /// The file.
    let path: String
    /// The file that was made beside a Redis of somebody else's; nil when all gateways and commands have the key.
    let localPath: String?
    /// What there is to say of a key that has been made just now, and is not a private Redis's; nil when there is
    /// nothing.
    private(set) var note: String?

    private static let sizeLimit = 65_536

    /// Nil when none is configured, and there is none, nor one to be made, beside a Redis of somebody else's.
    /// - Parameter making: whether one is made there.
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
            // Whoever can put a key there reads what it seals.
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

    /// It is the gateway's own; others may have left it open to more than that.
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

    /// Whoever comes first makes it: the file appears whole or not at all. Whether it was made here.
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
