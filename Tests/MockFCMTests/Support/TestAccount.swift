import COpenSSL
import Glibc
import LiveActivity
import Testing

/// Signs as a service account, from its file, independently of the mock's own code. Immutable.
final class TestAccount: @unchecked Sendable {
    let clientEmail: String
    let keyID: String
    let tokenURL: String
    private let key: OpaquePointer

    init(file: String) throws {
        let content = try #require(fopen(file, "r"))
        defer { fclose(content) }
        var text = [UInt8](repeating: 0, count: 16_384)
        text.removeLast(text.count - fread(&text, 1, text.count, content))
        let account = try JSONDocument(parsing: text).root
        clientEmail = try #require(account.member("client_email")?.string)
        keyID = try #require(account.member("private_key_id")?.string)
        tokenURL = try #require(account.member("token_uri")?.string)
        let pem = Array(try #require(account.member("private_key")?.string).utf8)
        let memory = try #require(BIO_new_mem_buf(pem, Int32(pem.count)))
        defer { BIO_free(memory) }
        key = try #require(PEM_read_bio_PrivateKey(memory, nil, nil, nil))
    }

    deinit {
        EVP_PKEY_free(key)
    }

    func sign(header: String, claims: String) throws -> String {
        let text = encode(Array(header.utf8)) + "." + encode(Array(claims.utf8))
        let context = try #require(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        try #require(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1)
        var length = 512
        var signature = [UInt8](repeating: 0, count: length)
        try #require(EVP_DigestSign(context, &signature, &length, Array(text.utf8), text.utf8.count) == 1)
        return text + "." + encode(Array(signature[..<length]))
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
