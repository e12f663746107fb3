import COpenSSL

/// Cryptographic random bytes from OpenSSL.
public enum RandomBytes {
    /// Returns nil if the system's generator fails.
    public static func make(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return RAND_bytes(&bytes, Int32(count)) == 1 ? bytes : nil
    }
}
