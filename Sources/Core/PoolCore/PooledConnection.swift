import TimeCore

/// The state of a connection in the pool.
public enum PooledConnectionState: Equatable, Sendable {
    /// The attempt is under way. Becomes `awaitingSettings`, or ends.
    case opening
    /// Established; the server's stream limit is not known. Becomes `ready` or `draining`, or ends.
    case awaitingSettings
    /// Takes streams up to its limit. Becomes `draining`, or ends.
    case ready
    /// Takes no new streams; those open may finish. Ends.
    case draining(DrainReason)
}

/// The pool's record of one connection.
struct PooledConnection {
    let generation: UInt32
    let purpose: ConnectionPurpose
    var state = PooledConnectionState.opening
    /// Streams that the server allows at once.
    var limit = 0
    var open = 0
    /// Streams opened over the connection's life.
    var started = 0
    /// True once a stream was answered.
    var hasAnswered = false
    /// Streams that its answers have earned it, below the server's limit.
    var window: StreamWindow
    /// Troubles since its last good answer.
    var troubles = 0
    /// Pushes that it rejected since its last good answer.
    var rejections = 0
    /// Its answers, what was long ago counting for little.
    var lately = (good: 0, bad: 0)
    /// True once it had enough of either to be replaced.
    var isSick = false
    let openedAt: MonotonicTime
    /// The time at which it became ready for streams.
    var readySince: MonotonicTime?
    /// Since when the server has allowed it no stream; nil while it allows any.
    var shutSince: MonotonicTime?
    /// True while the transport takes more bytes.
    var isWritable = true
    /// The deadline of the attempt, or of the draining.
    var deadline: MonotonicTime
    var lastReceived: MonotonicTime
    /// The last answer, or the opening of the first stream after a time without any.
    var lastProgress: MonotonicTime
    /// The time at which the last open stream was reset for want of an answer; nil after an answer. Until the next
    /// stream the connection has nothing to answer.
    var cancelledAt: MonotonicTime?
    var pingDeadline: MonotonicTime?
    /// The randomness for the backoff if the connection ends without an answer after an orderly GOAWAY; nil otherwise.
    var orderlyEnd: UInt64?

    init(
        generation: UInt32, _ purpose: ConnectionPurpose, window: StreamWindow, now: MonotonicTime,
        deadline: MonotonicTime
    ) {
        self.window = window
        openedAt = now
        self.generation = generation
        self.purpose = purpose
        self.deadline = deadline
        lastReceived = now
        lastProgress = now
    }

    var isDraining: Bool {
        if case .draining = state { true } else { false }
    }

    /// True if it takes pushes, even if it is full now. A connection without a stream from the server does not.
    var isServing: Bool { state == .ready && limit > 0 }

    var isAttempt: Bool { state == .opening || state == .awaitingSettings }

    /// Streams that it has at most at a time, as things are.
    var earned: Int { state == .ready ? min(limit, window.size) : 0 }

    /// Streams that it would take now.
    var free: Int { isWritable ? max(0, earned - open) : 0 }

    /// The time from which the server lets no stream through. It allows none, or without an open one it still takes no
    /// bytes, because it never gave the connection's window back (RFC 9113, section 6.9). Nil otherwise.
    var blockedSince: MonotonicTime? {
        if let shutSince { return shutSince }
        return isWritable || open > 0 || started == 0 ? nil : max(lastProgress, cancelledAt ?? lastProgress)
    }

    /// The number of streams that its limit leaves, regardless of its window and of the transport.
    var unused: Int { state == .ready && !isSick ? max(0, limit - open) : 0 }

    /// Its rank for the next stream, the lowest first. Connections that answer well come first. Of them the one with
    /// the fewest outstanding answers is also the fastest.
    var load: Int { troubles == 0 ? open : open + (isSick ? 2 : 1) << 32 }

    /// True if its last answer was a good one.
    var isGood: Bool { isServing && hasAnswered && troubles == 0 && rejections == 0 }

    /// The number of answers after which earlier ones count half.
    private static let memory = 256
    /// One of this many answers may be bad.
    private static let fewBad = 8

    mutating func remember(good: Int = 0, bad: Int = 0) {
        lately.good += good
        lately.bad += bad
        while lately.good + lately.bad > PooledConnection.memory {
            lately.good /= 2
            lately.bad /= 2
        }
    }

    /// True if few of its answers are bad. Those are not in a row then: a server may write the answers that have a
    /// body behind all others.
    var servesNearlyAll: Bool { lately.bad * PooledConnection.fewBad <= lately.good }

    /// The time at which it is closed as unused; nil while it has streams, or without this limit.
    func idleDeadline(_ configuration: PoolConfiguration) -> MonotonicTime? {
        open == 0 && state == .ready ? configuration.idleTimeout.map { lastProgress + $0 } : nil
    }

    /// The next time at which something must be looked at.
    func nextDeadline(_ configuration: PoolConfiguration) -> MonotonicTime {
        switch state {
        case .opening, .awaitingSettings, .draining: return deadline
        case .ready:
            var next = pingDeadline ?? (lastReceived + configuration.idlePingInterval)
            if open > 0 { next = min(next, lastProgress + configuration.stallTimeout) }
            if let idle = idleDeadline(configuration) { next = min(next, idle) }
            return window.closedUntil.map { min(next, $0) } ?? next
        }
    }
}
