import Encodings
import Secrets

/// The id of a feed, a digest of its tenant and URL. It is equal on all gateways and reveals neither.
public struct FeedID: Hashable, Sendable, CustomStringConvertible {
    /// 32 hexadecimal digits.
    public let description: String

    /// - Parameters:
    ///   - tenantID: The tenant that owns the feed's topics.
    ///   - url: The feed's URL.
    public init(tenantID: String, url: String) {
        description = Hexadecimal.encode(Array(Digest.sha256(Array("\(tenantID)\n\(url)".utf8)).prefix(16)))
    }
}
