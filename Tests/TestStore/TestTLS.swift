import Foundation
public import RedisServerProcess
import TestCertificates

/// Certificates of a redis-server with TLS and of its clients, for the life of the process.
public enum TestTLS {
    /// The server's options. Clients need no certificate.
    public static var server: RedisServerOptions.TLS { files.server }

    private static let files = Files()

    // Immutable.
    private final class Files: @unchecked Sendable {
        let maker: CertificateMaker
        let server: RedisServerOptions.TLS

        init() {
            guard let maker = try? CertificateMaker(), let root = try? maker.make("root"),
                let leaf = try? maker.make("server", names: "DNS:localhost,IP:127.0.0.1", issuer: root)
            else { fatalError("the certificates of the tests cannot be made") }
            self.maker = maker
            server = RedisServerOptions.TLS(
                certificateFile: leaf.certificateFile, keyFile: leaf.keyFile, caFile: root.certificateFile)
            Files.directory = maker.directory
            atexit { try? FileManager.default.removeItem(atPath: Files.directory) }
        }

        // Written once, before the handler that reads it exists.
        nonisolated(unsafe) private static var directory = ""
    }
}
