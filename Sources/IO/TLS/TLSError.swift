import COpenSSL

/// The error of a TLS context or session.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
    /// The reason why the peer's certificate was rejected; nil for another error.
    public let distrust: Distrust?

    /// The error in a peer's certificate.
    public enum Distrust: Equatable, Sendable {
        /// No trusted issuer has signed the certificate.
        case unknownIssuer
        /// The certificate is for another host.
        case otherHost
        case expired
        case notYetValid
        case other
    }

    public init(_ description: String, distrust: Distrust? = nil) {
        self.description = description
        self.distrust = distrust
    }

    /// Creates an error for the operation `doing` from this thread's OpenSSL error queue, which is emptied.
    static func last(_ doing: String) -> TLSError {
        var reasons: [String] = []
        var buffer = [CChar](repeating: 0, count: 256)
        while reasons.count < 8 {
            let code = ERR_get_error()
            if code == 0 { break }
            ERR_error_string_n(code, &buffer, buffer.count)
            let text = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            reasons.append(text)
        }
        ERR_clear_error()
        return TLSError(reasons.isEmpty ? doing : "\(doing): \(reasons.joined(separator: "; "))")
    }
}
