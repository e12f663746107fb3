public import TimeCore

/// What the driver of a pool has to do.
public enum PoolAction: Equatable, Sendable {
    /// Begin one attempt to connect.
    case open(ConnectionID)
    /// Send a PING.
    case ping(ConnectionID)
    /// Close. The pool has forgotten the connection; what is open on it the driver ends.
    case close(ConnectionID, CloseReason)
    /// Tell `timerFired` at this time. Replaces an earlier wish; a timer that fires too early does no harm.
    case schedule(MonotonicTime)
}

/// Why a pool closes a connection.
public enum CloseReason: Equatable, Sendable {
    /// It took no more streams, and the last one has ended.
    case drained
    /// It took no more streams, and the rest did not end in time.
    case drainTimedOut
    /// No answer to a PING.
    case pingTimedOut
    /// No SETTINGS in time.
    case attemptTimedOut
    /// It allowed no stream for too long.
    case shut
    /// Nothing was sent on it for long.
    case idle
    case shutDown
}

/// Why a connection takes no new streams.
public enum DrainReason: Equatable, Sendable {
    case goAway
    /// An answer on it asked for a new connection, or its credential cannot be changed.
    case suspected
    /// Streams were open, and none was answered for long.
    case stalled
    /// The server allows no further stream on it, while pushes wait.
    case shut
    /// It fails while others serve.
    case sick
    /// It has carried its share of streams.
    case retired
}
