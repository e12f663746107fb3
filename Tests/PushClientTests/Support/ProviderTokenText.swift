import Foundation

/// A provider token taken apart, checked by the openssl command: nothing of the code under test is used.
struct ProviderTokenText {
    let header: String
    let claims: String
    private let signed: String
    private let signature: Data

    struct Malformed: Error {}

    init(_ text: String) throws {
        let parts = text.split(separator: ".")
        guard parts.count == 3 else { throw Malformed() }
        let decoded = try parts.map { part -> Data in
            var base64 = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            while base64.count % 4 != 0 { base64 += "=" }
            guard let data = Data(base64Encoded: base64) else { throw Malformed() }
            return data
        }
        header = String(decoding: decoded[0], as: UTF8.self)
        claims = String(decoding: decoded[1], as: UTF8.self)
        signature = decoded[2]
        signed = parts[0] + "." + parts[1]
    }

    func isSigned(publicKey: URL) throws -> Bool {
        guard signature.count == 64 else { return false }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let message = directory.appendingPathComponent("message")
        let encoded = directory.appendingPathComponent("signature")
        try Data(signed.utf8).write(to: message)
        // SEQUENCE of two INTEGERs, each with a leading zero so that it is positive.
        func integer(_ bytes: Data) -> Data {
            let digits = Data(bytes.drop { $0 == 0 })
            let positive = (digits.first ?? 0x80) >= 0x80 ? Data([0]) + digits : digits
            return Data([2, UInt8(positive.count)]) + positive
        }
        let body = integer(signature.prefix(32)) + integer(signature.suffix(32))
        try (Data([0x30, UInt8(body.count)]) + body).write(to: encoded)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "dgst", "-sha256", "-verify", publicKey.path, "-signature", encoded.path, message.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
