import Foundation
import GatewayConfiguration
import GatewayStore
import Secrets

/// The key that webhooks' secrets are sealed with: a file, or one that is made beside the private redis-server's data.
enum WebhookKey {
    private static let name = "webhooks.key"
    private static let sizeLimit = 65_536

    /// Nil when none is configured and Redis is somebody else's: other gateways could not know a key that is made here.
    static func secrets(_ configuration: GatewayConfiguration) throws -> WebhookSecrets? {
        if let path = configuration.events.sealingKeyFile { return try read(path) }
        guard configuration.redis.url == nil else { return nil }
        let path = "\(configuration.redis.dataDirectory)/\(name)"
        if !FileManager.default.fileExists(atPath: path) { try make(path) }
        return try read(path)
    }

    private static func read(_ path: String) throws -> WebhookSecrets {
        guard let data = FileManager.default.contents(atPath: path), data.count <= sizeLimit else {
            throw CommandFailure(
                "events.sealing_key_file: \(path) cannot be read, or is larger than \(sizeLimit) bytes")
        }
        guard let secrets = WebhookSecrets(keyMaterial: Array(data)) else {
            throw CommandFailure(
                "events.sealing_key_file: \(path) has fewer than \(WebhookSecrets.minimumKeyLength) bytes")
        }
        return secrets
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
