import COpenSSL

/// Hashes and comparisons of secrets, by OpenSSL.
public enum Digest {
    /// SHA-256 (FIPS 180-4), 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            fanfare_sha256(bytes, bytes.count, output.baseAddress)
            count = 32
        }
    }

    /// SHA-256 (FIPS 180-4) as numbers, without a heap allocation.
    public static func sha256(_ bytes: UnsafeRawBufferPointer) -> SHA256Words {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { output in
            fanfare_sha256(bytes.baseAddress, bytes.count, output.assumingMemoryBound(to: UInt8.self).baseAddress)
            return SHA256Words(reading: UnsafeRawBufferPointer(output))
        }
    }

    /// HMAC-SHA256 (RFC 2104), 32 bytes.
    public static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &output, &length)
        return output
    }

    /// True if `given` is HMAC-SHA256 (RFC 2104) of the message. The time does not depend on the first difference.
    public static func isHMACSHA256(_ given: [UInt8], of message: UnsafeRawBufferPointer, key: [UInt8]) -> Bool {
        guard given.count == 32 else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { output in
            var length: UInt32 = 0
            let bytes = message.assumingMemoryBound(to: UInt8.self).baseAddress
            guard
                HMAC(EVP_sha256(), key, Int32(key.count), bytes, message.count, output.baseAddress, &length) != nil,
                length == 32, let digest = output.baseAddress
            else { return false }
            return CRYPTO_memcmp(given, digest, 32) == 0
        }
    }

    /// True if both are equal. The time depends on the lengths only.
    public static func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
