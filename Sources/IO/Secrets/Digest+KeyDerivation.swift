extension Digest {
    /// HKDF with SHA-256 (RFC 5869): `length` bytes, up to 8,160, made from a secret.
    /// - Parameters:
    ///   - salt: not secret; may be empty.
    ///   - info: what the bytes are for. Those for another purpose say nothing about them.
    public static func hkdfSHA256(secret: [UInt8], salt: [UInt8], info: [UInt8], length: Int) -> [UInt8] {
        // No salt is one of as many zeros as the hash is long (section 2.2).
        let key = hmacSHA256(key: salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt, secret)
        var output: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 1
        while output.count < min(length, 255 * 32) {
            block = hmacSHA256(key: key, block + info + [number])
            output += block
            number &+= 1
        }
        return Array(output.prefix(max(0, length)))
    }
}
