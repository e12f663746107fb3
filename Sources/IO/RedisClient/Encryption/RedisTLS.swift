/// The TLS files of connections to Redis. The server's chain and host name are always verified.
public struct RedisTLS: Hashable, Sendable {
    /// A PEM file with the trusted roots; nil for the system's.
    public var caFile: String?
    /// A PEM file with the client certificate and its chain, for a server that requests one.
    public var certificateFile: String?
    /// The PEM file of that certificate's key, without a passphrase.
    public var keyFile: String?

    public init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
