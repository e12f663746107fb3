import Gateway
import NIOSSL
import RedisServerProcess
import TestStore

extension TestTLS {
    /// The TLS options of a listener under test.
    static var listener: ListenerTLSOptions {
        ListenerTLSOptions(certificateFile: server.certificateFile, keyFile: server.keyFile)
    }

    /// The TLS configuration of a client that trusts this listener.
    static var clientConfiguration: TLSConfiguration { client(trusting: server.caFile) }

    static func client(trusting file: String) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(file)
        return configuration
    }
}
