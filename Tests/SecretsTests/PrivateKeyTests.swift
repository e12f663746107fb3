import Foundation
import Secrets
import TestProvider
import Testing

@Suite("Private keys") struct PrivateKeyTests {
    private func file(_ name: String) -> String { TestIdentity.shared.directory.appendingPathComponent(name).path }

    @Test("A key says of which kind it is, and signs so that openssl agrees")
    func kinds() throws {
        for (name, bits, isP256, publicKey) in [
            ("rsa.p8", 2_048, false, "rsa.pub"), ("key.p8", nil, true, "key.pub"), ("p384.p8", nil, false, nil),
        ] as [(String, Int?, Bool, String?)] {
            let key = try PrivateKey(file: file(name))
            #expect(key.modulusBits == bits && key.isP256 == isP256)
            let text = Array("the text".utf8)
            let signature = try #require(key.sign(text))
            #expect((key.sealingKey(label: "a") != nil) == (publicKey != nil))
            guard let publicKey else { continue }
            try Data(signature).write(to: URL(fileURLWithPath: file("\(name).sig")))
            try Data(text).write(to: URL(fileURLWithPath: file("\(name).txt")))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "openssl", "dgst", "-sha256", "-verify", file(publicKey), "-signature", file("\(name).sig"),
                file("\(name).txt"),
            ]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(name)")
        }
    }

    @Test("What cannot be used says why, and holds nothing of the file")
    func unusable() throws {
        unlink(file("pipe"))
        #expect(mkfifo(file("pipe"), 0o600) == 0)
        for (name, reason) in [
            ("encrypted.p8", "the key is encrypted with a passphrase"),
            ("encrypted-sec1.pem", "the key is encrypted with a passphrase"),
            ("sec1.pem", "it has no PKCS#8 private key in PEM form"), ("none", "No such file or directory"),
            // The pipe has no writer, and the reader must not wait for one.
            ("pipe", "it is no regular file"), (".", "it is no regular file"),
        ] {
            #expect(self.reason { () throws(PrivateKey.Unusable) in try PrivateKey(file: file(name)) } == reason)
        }
        let damaged = Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)
        let found = reason { () throws(PrivateKey.Unusable) in try PrivateKey(pem: damaged) }
        #expect(found == "the private key in it is damaged")
    }

    @Test("A key whose lines end with CR LF is read")
    func carriageReturns() throws {
        #expect(try PrivateKey(file: file("crlf.p8")).isP256)
    }

    private func reason(_ make: () throws(PrivateKey.Unusable) -> PrivateKey) -> String? {
        do {
            _ = try make()
            return nil
        } catch {
            return error.reason
        }
    }
}
