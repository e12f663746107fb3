import TLS

/// The TLS identity of a mock: a certificate for this machine's loopback names and the authority that signed it. Stored
/// as files of a directory.
package struct ServerIdentity: Sendable {
    /// The absolute path, without a trailing slash.
    package let directory: String

    package var authorityFile: String { directory + "/ca.pem" }
    package var certificateFile: String { directory + "/server.pem" }
    package var certificateKeyFile: String { directory + "/server-key.pem" }

    /// Loads the files, or creates all of them if one is missing. The authority's key is discarded, so it can never
    /// sign another certificate.
    /// - Parameter name: The authority's name.
    package init(directory: String, name: String) throws(MockError) {
        try File.makeDirectory(directory)
        self.directory = try File.absolutePath(directory)
        if ![authorityFile, certificateFile, certificateKeyFile].allSatisfy(File.exists) {
            try make(name)
        }
    }

    private func make(_ name: String) throws(MockError) {
        let authorityKey = try PrivateKey.generateP256()
        let authority = try Certificate.authority(name: name, key: authorityKey)
        let serverKey = try PrivateKey.generateP256()
        let server = try Certificate.loopbackServer(key: serverKey, issuer: authority, issuerKey: authorityKey)
        try File.write(serverKey.pem(), to: certificateKeyFile, mode: 0o600)
        try File.write(server.pem(), to: certificateFile, mode: 0o644)
        // Written last, so the set is complete if this file exists.
        try File.write(authority.pem(), to: authorityFile, mode: 0o644)
    }

    /// - Parameter alternative: The ALPN name for clients that do not offer HTTP/2.
    func tlsContext(alternative: String? = nil) throws -> TLSContext {
        try TLSContext.server(
            certificateChainFile: certificateFile, privateKeyFile: certificateKeyFile, applicationProtocol: "h2",
            alternative: alternative, requiresNegotiation: false)
    }
}
