import Gateway
import NIOSSL
import RedisServerProcess
import TestStore

extension TestTLS {
    /// What a listener under test shows.
    static var listener: ListenerTLSOptions {
        ListenerTLSOptions(certificateFile: server.certificateFile, keyFile: server.keyFile)
    }

    /// What trusts it.
    static var clientConfiguration: TLSConfiguration { client(trusting: server.caFile) }

    static func client(trusting file: String) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(file)
        return configuration
    }
}
