import COpenSSL

/// A SHA-256 digest (FIPS 180-4) of bytes that arrive in pieces.
public final class RunningDigest {
    private let context: OpaquePointer

    /// Begins an empty digest; nil without memory.
    public init?() {
        guard let context = EVP_MD_CTX_new() else { return nil }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            return nil
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds the next bytes.
    public func add(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Returns the 32 bytes of the digest. Do not add bytes afterwards.
    public func finish() -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &output, nil)
        return output
    }
}
