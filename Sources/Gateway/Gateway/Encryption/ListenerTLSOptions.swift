public import TimeCore

/// What the listener speaks TLS with.
public struct ListenerTLSOptions: Sendable {
    /// A PEM file: the certificate, and behind it those that lead to its root.
    public var certificateFile: String
    /// The PEM file of its key, without a passphrase.
    public var keyFile: String
    /// How often the files are looked at: what is renewed counts for the connections that come then.
    public var interval = TimeInterval.seconds(10)
    /// How long the end of a connection waits for the client's word that it has ended too.
    public var closeTimeout = TimeInterval.seconds(2)

    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
