import LiveActivity
import MockKit

/// The files in the mock's directory: its TLS identity and the service account.
struct ServiceAccountFile: Sendable {
    let identity: ServerIdentity
    let key: PrivateKey

    var path: String { identity.directory + "/service-account.json" }

    /// Loads the existing files and creates missing ones.
    init(directory: String) throws(MockError) {
        identity = try ServerIdentity(directory: directory, name: "Fanfare mock FCM")
        let keyFile = identity.directory + "/service-account-key.pem"
        if File.exists(keyFile) {
            key = try PrivateKey.read(keyFile)
            guard key.isRSA else { throw MockError("the key in \(keyFile) is no RSA key") }
        } else {
            key = try PrivateKey.generateRSA()
            try File.write(key.pem(), to: keyFile, mode: 0o600)
        }
    }

    /// Writes the account in Google's format, and the variables with which a gateway connects to the mock.
    func write(url: String, options: MockFCM.Options) throws(MockError) {
        let pem = String(decoding: try key.pem(), as: UTF8.self)
        let keyID = try key.fingerprint()
        let account = JSONWriter.object {
            $0.field("type", "service_account")
            $0.field("project_id", options.projectID)
            $0.field("private_key_id", keyID)
            $0.field("private_key", pem)
            $0.field("client_email", options.clientEmail)
            $0.field("client_id", "100000000000000000001")
            $0.field("auth_uri", url + "/auth")
            $0.field("token_uri", url + "/token")
            $0.field("universe_domain", "googleapis.com")
        }
        try File.write(account + [UInt8(ascii: "\n")], to: path, mode: 0o600)
        let lines = [
            "FANFARE_FCM_URL=\(url)",
            "FANFARE_FCM_TOKEN_URL=\(url)/token",
            "FANFARE_FCM_CA_FILE=\(identity.authorityFile)",
            "FANFARE_FCM_SERVICE_ACCOUNT_FILE=\(path)",
        ]
        try File.write(lines.map { $0 + "\n" }.joined().utf8, to: identity.directory + "/fcm.env", mode: 0o644)
    }
}
