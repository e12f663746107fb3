import COpenSSL

/// Why a TLS context could not be made or a session failed.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
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
