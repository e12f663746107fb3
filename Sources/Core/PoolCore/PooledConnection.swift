import TimeCore

/// What a connection is to the pool.
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
    /// Whether any stream was answered.
    var hasAnswered = false
    /// Streams that its answers have earned it, below the server's limit.
    var window: StreamWindow
    /// Troubles since its last good answer.
    var troubles = 0
    /// Pushes that it rejected since its last good answer.
    var rejections = 0
    /// Its answers, what was long ago counting for little.
    var lately = (good: 0, bad: 0)
    /// Whether there were ever so many of either that it is to be replaced.
    var isSick = false
    let openedAt: MonotonicTime
    /// When it came to take streams.
    var readySince: MonotonicTime?
    /// Since when the server has allowed it no stream; nil while it allows any.
    var shutSince: MonotonicTime?
    /// Whether the transport takes more bytes.
    var isWritable = true
    /// Of the attempt, or of the draining.
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

    /// Whether it takes pushes, be it that it is full or not: one that the server allows no stream does not.
    var isServing: Bool { state == .ready && limit > 0 }

    var isAttempt: Bool { state == .opening || state == .awaitingSettings }

    /// Streams that it has at most at a time, as things are.
    var earned: Int { state == .ready ? min(limit, window.size) : 0 }

    /// Streams that it would take now.
    var free: Int { isWritable ? max(0, earned - open) : 0 }

    /// Streams that its limit leaves, whether it has earned them or the transport takes bytes now or not.
    var unused: Int { state == .ready && !isSick ? max(0, limit - open) : 0 }

    /// Where a stream goes first: to those that answer well, and of them to the one with the fewest answers
    /// outstanding, which is also the fastest.
    var load: Int { troubles == 0 ? open : open + (isSick ? 2 : 1) << 32 }

    /// Whether its last answer was a good one.
    var isGood: Bool { isServing && hasAnswered && troubles == 0 && rejections == 0 }

    /// After so many answers what was before counts half.
    private static let memory = 256
    /// Of so many answers one may be bad.
    private static let fewBad = 8

    mutating func remember(good: Int = 0, bad: Int = 0) {
        lately.good += good
        lately.bad += bad
        while lately.good + lately.bad > PooledConnection.memory {
            lately.good /= 2
            lately.bad /= 2
        }
    }

    /// Whether few of its answers are bad ones. Those are not in a row then: a server may write the answers that have a
    /// body behind all others.
    var servesNearlyAll: Bool { lately.bad * PooledConnection.fewBad <= lately.good }

    /// When it is closed because nothing was sent on it; nil while there is, or when that does not matter.
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
