public import TimeCore

/// A customer's key with the tenant's settings as the store last returned them. With it a request's own script can
/// admit the request.
public struct KnownKey: Equatable, Sendable {
    /// The key's hash in hexadecimal.
    let hash: String
    /// The tenant of the key.
    public let tenantID: String
    /// The stored text of the tier and of the limits.
    let tier: String
    let limits: String

    /// The key's name in the audit log: the first 8 digits of its hash.
    public var name: String { String(hash.prefix(8)) }

    /// A request that is admitted only if the key's settings are unchanged.
    public struct Request: Sendable {
        let key: KnownKey
        let limit: Int
        let window: TimeInterval

        /// - Parameters:
        ///   - limit: The requests in each window; 0 for no limit.
        ///   - window: The window's length.
        public init(_ key: KnownKey, limit: Int, window: TimeInterval) {
            self.key = key
            self.limit = limit
            self.window = window
        }
    }
}
