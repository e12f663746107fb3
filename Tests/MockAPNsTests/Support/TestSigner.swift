import COpenSSL
import Testing

/// Makes provider tokens, independently of the mock's own code.
final class TestSigner: @unchecked Sendable {
    private let key: OpaquePointer

    init(pemFile: String) throws {
        let file = try #require(BIO_new_file(pemFile, "r"))
        defer { BIO_free(file) }
        key = try #require(PEM_read_bio_PrivateKey(file, nil, nil, nil))
    }

    init() throws {
        key = try #require(fanfare_evp_ec_gen_p256())
    }

    deinit {
        EVP_PKEY_free(key)
    }

    func token(header: String, claims: String) throws -> String {
        let text = encode(Array(header.utf8)) + "." + encode(Array(claims.utf8))
        return text + "." + encode(try signature(Array(text.utf8)))
    }

    private func signature(_ text: [UInt8]) throws -> [UInt8] {
        let context = try #require(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        try #require(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1)
        var length = 256
        var der = [UInt8](repeating: 0, count: length)
        try #require(EVP_DigestSign(context, &der, &length, text, text.count) == 1)
        let signature = try der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return try #require(d2i_ECDSA_SIG(nil, &start, length))
        }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        raw.withUnsafeMutableBufferPointer { bytes in
            _ = BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes.baseAddress, 32)
            _ = BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes.baseAddress.map { $0 + 32 }, 32)
        }
        return raw
    }

    private func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0...group.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
        }
        return text
    }
}
