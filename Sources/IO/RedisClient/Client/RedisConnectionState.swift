public import TimeCore

/// The connection state of a client, for health checks.
public enum RedisConnectionState: Equatable, Sendable {
    /// The first attempt, or the first one after a lost connection, is in progress.
    case connecting
    /// Authenticated, and PING was answered.
    case connected
    /// The last attempt failed. Attempts continue until one succeeds.
    case disconnected(since: MonotonicTime, reason: String)
    /// `shutdown` was called.
    case shutDown
}
