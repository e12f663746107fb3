public import FeedCore
public import GatewayStore
public import LiveActivity

/// Takes in what feeds say. From any thread.
public protocol FeedReceiver: Sendable {
    /// Whether topics of this tenant are taken at all.
    func admits(tenantID: String) async throws(StoreError) -> Bool

    /// Takes one element: an object with `topic` and the fields of the PUT.
    func take(_ element: JSONValue, tenantID: String) async throws(StoreError) -> ElementOutcome
}
