public import TimeCore

/// What a health check wants to know of a client.
public enum RedisConnectionState: Equatable, Sendable {
    /// The first attempt, or the first one after a connection was lost, is under way.
    case connecting
    /// Signed in and answered PING.
    case connected
    /// The last attempt failed; others follow until one succeeds.
    case disconnected(since: MonotonicTime, reason: String)
    /// `shutdown` was called.
    case shutDown
}
