public import FeedCore
public import GatewayStore
public import LiveActivity

/// A receiver of feeds' elements. From any thread.
public protocol FeedReceiver: Sendable {
    /// True if topics of this tenant are accepted at all.
    func admits(tenantID: String) async throws(StoreError) -> Bool

    /// Takes one element: an object with `topic` and the fields of the PUT.
    func take(_ element: JSONValue, tenantID: String) async throws(StoreError) -> ElementOutcome
}
