public import TimeCore

/// The TLS options of the listener.
public struct ListenerTLSOptions: Sendable {
    /// The path of a PEM file with the certificate, followed by its chain.
    public var certificateFile: String
    /// The path of a PEM file with the private key, without a passphrase.
    public var keyFile: String
    /// The interval at which the files are checked for changes. New connections use the renewed certificate.
    public var interval = TimeInterval.seconds(10)
    /// The time that closing a connection waits for the client's `close_notify`.
    public var closeTimeout = TimeInterval.seconds(2)

    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
