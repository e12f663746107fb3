public import Delivery
public import TimeCore

/// An event of a client's connections and tokens, for the log. Single pushes cause no events.
public enum PushClientEvent: Sendable {
    /// A connection accepts pushes, up to the provider's stream limit.
    case connectionReady(address: String, streamLimit: Int)
    case connectionLost(reason: String)
    /// The provider accepts no more streams on a connection.
    case goAway(address: String, errorCode: UInt32)
    /// Later pushes carry another authorization.
    case authorizationRenewed(ProviderIdentity)
    /// No authorization or no connection is available.
    case failing(reason: String)
    /// The provider is in trouble, and only single pushes probe it. Also emitted when the reason changes.
    case paused(PauseReason)
    /// The provider serves again.
    case resumed(PauseReason, after: TimeInterval)
}
