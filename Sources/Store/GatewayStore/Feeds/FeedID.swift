import Encodings
import Secrets

/// Which feed it is, for all gateways that are told of it: the same URL for the same tenant, wherever it stands in
/// their lists. Tells neither.
public struct FeedID: Hashable, Sendable, CustomStringConvertible {
    /// Thirty-two hexadecimal digits.
    public let description: String

    /// - Parameters:
    ///   - tenantID: whose topics it speaks of.
    ///   - url: where it is.
    public init(tenantID: String, url: String) {
        description = Hexadecimal.encode(Array(Digest.sha256(Array("\(tenantID)\n\(url)".utf8)).prefix(16)))
    }
}
