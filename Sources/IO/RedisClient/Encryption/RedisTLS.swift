/// What connections to Redis are encrypted with. The server's chain and host name are verified, always.
public struct RedisTLS: Hashable, Sendable {
    /// A PEM file with the roots that are trusted; nil for those of the system.
    public var caFile: String?
    /// A PEM file with the certificate that is shown to a server that asks for one, and what leads to its root.
    public var certificateFile: String?
    /// The PEM file of that certificate's key, without a passphrase.
    public var keyFile: String?

    public init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
