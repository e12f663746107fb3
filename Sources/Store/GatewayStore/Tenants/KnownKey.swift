public import TimeCore

/// What a customer's key opens, as the store has said: enough to have a request let in by the step that carries it out.
public struct KnownKey: Equatable, Sendable {
    /// Of the key, in hex.
    let hash: String
    /// Whose key it is.
    public let tenantID: String
    /// As the store has them.
    let tier: String
    let limits: String

    /// What stands for the key in the audit log: the first digits of its hash.
    public var name: String { String(hash.prefix(8)) }

    /// A request that is let in only if the key still opens the same.
    public struct Request: Sendable {
        let key: KnownKey
        let limit: Int
        let window: TimeInterval

        /// - Parameters:
        ///   - limit: requests in each window; 0 for no limit.
        ///   - window: its length.
        public init(_ key: KnownKey, limit: Int, window: TimeInterval) {
            self.key = key
            self.limit = limit
            self.window = window
        }
    }
}
