import Secrets
import Testing

/// Hexadecimal digits as bytes.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

@Suite("Key derivation") struct KeyDerivationTests {
    @Test("HKDF gives what RFC 5869 says: appendix A.1, with salt and info")
    func salted() {
        let output = Digest.hkdfSHA256(
            secret: [UInt8](repeating: 0x0B, count: 22), salt: bytes("000102030405060708090a0b0c"),
            info: bytes("f0f1f2f3f4f5f6f7f8f9"), length: 42)
        #expect(
            output
                == bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    }

    @Test("HKDF gives what RFC 5869 says: appendix A.3, without salt and info")
    func bare() {
        let output = Digest.hkdfSHA256(
            secret: [UInt8](repeating: 0x0B, count: 22), salt: [], info: [], length: 42)
        #expect(
            output
                == bytes("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test("A length of nothing gives nothing, and one over the most that there is gives the most")
    func lengths() {
        #expect(Digest.hkdfSHA256(secret: [1], salt: [], info: [], length: 0).isEmpty)
        #expect(Digest.hkdfSHA256(secret: [1], salt: [], info: [], length: -5).isEmpty)
        #expect(Digest.hkdfSHA256(secret: [1], salt: [], info: [], length: 10_000).count == 8_160)
    }
}
