public import Delivery
public import TimeCore

/// What a client tells of its connections and tokens as it happens, for the log. Nothing of a single push.
public enum PushClientEvent: Sendable {
    /// A connection takes pushes; the provider's limit of streams.
    case connectionReady(address: String, streamLimit: Int)
    case connectionLost(reason: String)
    /// The provider takes no more streams on a connection.
    case goAway(address: String, errorCode: UInt32)
    /// All pushes from now on carry another authorization.
    case authorizationRenewed(ProviderIdentity)
    /// No authorization can be made, or no connection can be had.
    case failing(reason: String)
    /// The provider is in trouble: nothing is sent but single pushes that try it. Also told when the reason changes.
    case paused(PauseReason)
    /// The provider serves again.
    case resumed(PauseReason, after: TimeInterval)
}
