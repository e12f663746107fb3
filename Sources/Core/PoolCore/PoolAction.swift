public import TimeCore

/// An action for the driver of a pool.
public enum PoolAction: Equatable, Sendable {
    /// Begin one connection attempt.
    case open(ConnectionID)
    /// Send a PING.
    case ping(ConnectionID)
    /// Close the connection, which the pool has removed. The driver ends its open streams.
    case close(ConnectionID, CloseReason)
    /// Call `timerFired` at this time. It replaces an earlier request; an early call is harmless.
    case schedule(MonotonicTime)
}

/// The reason for closing a connection.
public enum CloseReason: Equatable, Sendable {
    /// The connection drained, and its last stream has ended.
    case drained
    /// The connection drained, but some streams did not end in time.
    case drainTimedOut
    /// A PING was not answered.
    case pingTimedOut
    /// SETTINGS did not arrive in time.
    case attemptTimedOut
    /// The server allowed no stream for too long.
    case shut
    /// The connection was idle for too long.
    case idle
    case shutDown
}

/// The reason why a connection accepts no new streams.
public enum DrainReason: Equatable, Sendable {
    case goAway
    /// An answer requires a new connection, or the connection's credential cannot be changed.
    case suspected
    /// Open streams were not answered for too long.
    case stalled
    /// The server allows no further stream, while pushes wait.
    case shut
    /// The connection fails while others serve.
    case sick
    /// The connection has carried its maximum number of streams.
    case retired
}
