import MockKit

/// The files in the mock's directory: its TLS identity and the keys of valid provider tokens.
struct Credentials: Sendable {
    let identity: ServerIdentity
    let signingKey: PrivateKey
    let secondSigningKey: PrivateKey

    var signingKeyFile: String { identity.directory + Self.keyName }
    var secondSigningKeyFile: String { identity.directory + Self.secondKeyName }
    private static let keyName = "/key.p8"
    private static let secondKeyName = "/second-key.p8"

    /// Loads the existing files and creates missing ones.
    init(directory: String) throws(MockError) {
        identity = try ServerIdentity(directory: directory, name: "Fanfare mock APNs")
        signingKey = try Self.key(identity.directory + Self.keyName)
        secondSigningKey = try Self.key(identity.directory + Self.secondKeyName)
    }

    private static func key(_ file: String) throws(MockError) -> PrivateKey {
        guard File.exists(file) else {
            let key = try PrivateKey.generateP256()
            try File.write(key.pem(), to: file, mode: 0o600)
            return key
        }
        let key = try PrivateKey.read(file)
        guard key.isP256 else { throw MockError("the key in \(file) is not one on the curve P-256") }
        return key
    }

    /// Writes the settings with which a gateway connects to the mock.
    func writeSettings(url: String, channelsURL: String, options: MockAPNs.Options) throws(MockError) {
        let directory = identity.directory
        let single = [
            ("key_id", options.keyID), ("second_key_id", options.secondKeyID), ("team_id", options.teamID),
            ("bundle_id", options.bundleID),
            ("channels_url", channelsURL),
        ]
        for (name, text) in single {
            try File.write((text + "\n").utf8, to: "\(directory)/\(name)", mode: 0o644)
        }
        let lines = [
            "FANFARE_APNS_URL=\(url)",
            "FANFARE_APNS_SANDBOX_URL=\(url)",
            "FANFARE_APNS_CHANNEL_MANAGEMENT_URL=\(channelsURL)",
            "FANFARE_APNS_SANDBOX_CHANNEL_MANAGEMENT_URL=\(channelsURL)",
            "FANFARE_APNS_CA_FILE=\(identity.authorityFile)",
            "FANFARE_APNS_KEY_FILE=\(signingKeyFile)",
            "FANFARE_APNS_KEY_ID=\(options.keyID)",
            "FANFARE_APNS_TEAM_ID=\(options.teamID)",
            "FANFARE_APNS_BUNDLE_ID=\(options.bundleID)",
        ]
        try File.write(lines.map { $0 + "\n" }.joined().utf8, to: directory + "/apns.env", mode: 0o644)
    }
}
