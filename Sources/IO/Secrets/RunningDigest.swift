import COpenSSL

/// SHA-256 (FIPS 180-4) of bytes that come one piece after the other.
public final class RunningDigest {
    private let context: OpaquePointer

    /// Of nothing so far; nil without memory for it.
    public init?() {
        guard let context = EVP_MD_CTX_new() else { return nil }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            return nil
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes in what comes next.
    public func add(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The 32 bytes that stand for all that has come. Nothing may be added behind this.
    public func finish() -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &output, nil)
        return output
    }
}
