/// The files under the mock's directory: who it is, and whom it believes.
struct Credentials: Sendable {
    let directory: String
    let signingKey: PrivateKey

    var authorityFile: String { directory + "/ca.pem" }
    var certificateFile: String { directory + "/server.pem" }
    var certificateKeyFile: String { directory + "/server-key.pem" }
    var signingKeyFile: String { directory + "/key.p8" }

    /// Uses what is there from before and makes what is missing. The authority's key is not kept: nobody can sign
    /// more with it.
    init(directory: String) throws(MockAPNsError) {
        try File.makeDirectory(directory)
        self.directory = try File.absolutePath(directory)
        let keyFile = self.directory + "/key.p8"
        if File.exists(keyFile) {
            signingKey = try PrivateKey.read(keyFile)
        } else {
            signingKey = try PrivateKey.generate()
            try File.write(signingKey.pem(), to: keyFile, mode: 0o600)
        }
        if ![authorityFile, certificateFile, certificateKeyFile].allSatisfy(File.exists) {
            try makeServerIdentity()
        }
    }

    private func makeServerIdentity() throws(MockAPNsError) {
        let authorityKey = try PrivateKey.generate()
        let authority = try Certificate.authority(name: "Fanfare mock APNs", key: authorityKey)
        let serverKey = try PrivateKey.generate()
        let server = try Certificate.loopbackServer(key: serverKey, issuer: authority, issuerKey: authorityKey)
        try File.write(serverKey.pem(), to: certificateKeyFile, mode: 0o600)
        try File.write(server.pem(), to: certificateFile, mode: 0o644)
        // Last, so that a set with this file is whole.
        try File.write(authority.pem(), to: authorityFile, mode: 0o644)
    }

    /// The texts that tell a gateway how to reach the mock and as whom.
    func writeSettings(url: String, options: MockAPNs.Options) throws(MockAPNsError) {
        for (name, text) in [("key_id", options.keyID), ("team_id", options.teamID), ("bundle_id", options.bundleID)] {
            try File.write((text + "\n").utf8, to: "\(directory)/\(name)", mode: 0o644)
        }
        let lines = [
            "FANFARE_APNS_URL=\(url)",
            "FANFARE_APNS_SANDBOX_URL=\(url)",
            "FANFARE_APNS_CA_FILE=\(authorityFile)",
            "FANFARE_APNS_KEY_FILE=\(signingKeyFile)",
            "FANFARE_APNS_KEY_ID=\(options.keyID)",
            "FANFARE_APNS_TEAM_ID=\(options.teamID)",
            "FANFARE_APNS_BUNDLE_ID=\(options.bundleID)",
        ]
        try File.write(lines.map { $0 + "\n" }.joined().utf8, to: directory + "/apns.env", mode: 0o644)
    }
}
