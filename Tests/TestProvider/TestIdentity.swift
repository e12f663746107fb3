public import Foundation

/// Keys and certificates for one test run, made by the openssl command in a directory of their own.
public struct TestIdentity: Sendable {
    public let directory: URL
    public var certificate: String { directory.appendingPathComponent("server.pem").path }
    public var certificateKey: String { directory.appendingPathComponent("server.key").path }
    public var authority: String { directory.appendingPathComponent("ca.pem").path }
    public var otherAuthority: String { directory.appendingPathComponent("other.pem").path }
    public var providerKey: String { directory.appendingPathComponent("key.p8").path }

    /// A PKCS#8 private key with 2,048 bits, and its public key.
    public var rsaKey: String { directory.appendingPathComponent("rsa.p8").path }
    public var rsaPublicKey: String { directory.appendingPathComponent("rsa.pub").path }

    public static let shared = TestIdentity()

    private init() {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("push-\(UUID().uuidString)")
        let script = """
            set -e
            mkdir -p "$0"; cd "$0"
            openssl ecparam -name prime256v1 -genkey -noout -out ca.key
            openssl req -x509 -new -key ca.key -subj "/CN=Test CA" -days 30 -out ca.pem
            openssl ecparam -name prime256v1 -genkey -noout -out other.key
            openssl req -x509 -new -key other.key -subj "/CN=Other CA" -days 30 -out other.pem
            openssl ecparam -name prime256v1 -genkey -noout -out server.key
            openssl req -new -key server.key -subj "/CN=localhost" -out server.csr
            printf "subjectAltName=DNS:localhost,IP:127.0.0.1" > san
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile san \\
                -out server.pem
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.p8
            openssl ec -in key.p8 -pubout -out key.pub
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out p384.p8
            openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.p8
            openssl rsa -in rsa.p8 -pubout -out rsa.pub
            openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out weak.p8
            openssl pkcs8 -topk8 -in key.p8 -passout pass:secret -out encrypted.p8
            openssl ec -in key.p8 -aes128 -passout pass:secret -out encrypted-sec1.pem
            sed 's/$/\r/' key.p8 > crlf.p8
            openssl ec -in key.p8 -out sec1.pem
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, directory.path]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        do {
            try process.run()
            process.waitUntilExit()
        } catch {
            fatalError("\(error)")
        }
        precondition(process.terminationStatus == 0)
    }
}
