import Foundation
import GatewayConfiguration
import GatewayStore
import Secrets

/// The key that identity secrets and those of webhooks are sealed with: a file, or one that is made beside the private
/// redis-server's data.
struct SealingKeyFile {
    let webhooks: WebhookSecrets
    let identity: IdentitySecrets

    private static let name = "webhooks.key"
    private static let sizeLimit = 65_536

    /// Nil when none is configured and Redis is somebody else's: other gateways could not know a key that is made here.
    static func read(_ configuration: GatewayConfiguration) throws -> SealingKeyFile? {
        let former = try configuration.events.formerSealingKeyFiles.map {
            try contents($0, "events.former_sealing_key_files")
        }
        if let path = configuration.events.sealingKeyFile { return try read(path, former) }
        guard configuration.redis.url == nil else { return nil }
        let path = "\(configuration.redis.dataDirectory)/\(name)"
        if !FileManager.default.fileExists(atPath: path) { try make(path) }
        try narrow(path)
        return try read(path, former)
    }

    /// It is the gateway's own; others may have left it open to more than that.
    private static func narrow(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        guard chmod(path, status.st_mode & 0o700) == 0 else {
            throw CommandFailure(
                "\(path) is open to others than the gateway's user, and stays so. Run: chmod 600 \(path)")
        }
    }

    private static func read(_ path: String, _ former: [[UInt8]]) throws -> SealingKeyFile {
        let material = try contents(path, "events.sealing_key_file")
        guard let webhooks = WebhookSecrets(keyMaterial: material, former: former),
            let identity = IdentitySecrets(keyMaterial: material, former: former)
        else { throw CommandFailure("events.sealing_key_file: \(path) holds no key") }
        return SealingKeyFile(webhooks: webhooks, identity: identity)
    }

    private static func contents(_ path: String, _ key: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= sizeLimit else {
            throw CommandFailure("\(key): \(path) cannot be read, or is larger than \(sizeLimit) bytes")
        }
        guard data.count >= WebhookSecrets.minimumKeyLength else {
            throw CommandFailure("\(key): \(path) has fewer than \(WebhookSecrets.minimumKeyLength) bytes")
        }
        return Array(data)
    }

    /// Whoever comes first makes it: the file appears whole or not at all.
    private static func make(_ path: String) throws {
        guard let bytes = RandomBytes.make(WebhookSecrets.minimumKeyLength) else {
            throw CommandFailure("the system's random number generator failed")
        }
        let draft = "\(path).\(UUID().uuidString)"
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("\(path) cannot be written") }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        try? FileManager.default.linkItem(atPath: draft, toPath: path)
    }
}
