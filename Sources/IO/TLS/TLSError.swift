import COpenSSL

/// Why a TLS context could not be made or a session failed.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
    /// Why the peer's certificate was not accepted, if that was it.
    public let distrust: Distrust?

    /// What is wrong with a peer's certificate.
    public enum Distrust: Equatable, Sendable {
        /// Nobody who is trusted has signed it.
        case unknownIssuer
        /// It is for another host.
        case otherHost
        case expired
        case notYetValid
        case other
    }

    public init(_ description: String, distrust: Distrust? = nil) {
        self.description = description
        self.distrust = distrust
    }

    /// What `doing` failed with, from this thread's OpenSSL error queue, which is emptied.
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
