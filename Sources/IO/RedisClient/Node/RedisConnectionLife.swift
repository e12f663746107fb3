import TimeCore

/// Decides when a client connects, waits and gives up, and whether a command may wait for it. Owns no socket and no
/// queue; reads no clock.
///
/// Invariants:
/// 1. At most one connection is open or being opened.
/// 2. A command waits only during an attempt that is recent or follows no failure, so at most for the connect deadline.
/// 3. After a failure the next attempt begins within the longest backoff.
/// 4. After `shutDown` no connection is opened again.
struct RedisConnectionLife {
    enum State: Equatable {
        /// No attempt has begun. Becomes `connecting` or `shutDown`.
        case idle
        /// An attempt is in progress: look-up, connect, AUTH, PING. Becomes `ready`, `backingOff` or `shutDown`.
        case connecting(since: MonotonicTime)
        /// Commands are sent. Becomes `connecting`, `backingOff` or `shutDown`.
        case ready(since: MonotonicTime)
        /// The last attempt failed. Becomes `connecting` or `shutDown`.
        case backingOff(until: MonotonicTime)
        /// The final state.
        case shutDown
    }

    enum Action: Equatable {
        case open
        case close(reason: String)
        case scheduleConnectDeadline(MonotonicTime)
        case cancelConnectDeadline
        case scheduleRetry(MonotonicTime)
        case cancelRetry
        case releaseWaiting
        case failWaiting(reason: String)
        case publishState
    }

    enum Admission: Equatable {
        case send
        case wait
        case refuse(reason: String)
    }

    /// A connection that is lost sooner than this counts as a failed attempt. Backoff then limits the load on a server
    /// that accepts and closes.
    static let stableAfter = TimeInterval.seconds(1)
    /// After a failure, commands wait for an attempt only while it is younger than this.
    static let freshAttempt = TimeInterval.milliseconds(250)

    private(set) var state = State.idle
    private(set) var failures = 0
    private var disconnectedSince = MonotonicTime(nanoseconds: 0)
    private var reason = "not connected yet"
    let backoff: Backoff
    let connectDeadline: TimeInterval

    init(backoff: Backoff, connectDeadline: TimeInterval) {
        self.backoff = backoff
        self.connectDeadline = connectDeadline
    }

    /// Returns the admission of a new command.
    func admission(_ now: MonotonicTime) -> Admission {
        switch state {
        case .ready: return .send
        case .idle: return .wait
        case .connecting(let since):
            return failures == 0 || now - since < RedisConnectionLife.freshAttempt ? .wait : .refuse(reason: reason)
        case .backingOff, .shutDown: return .refuse(reason: reason)
        }
    }

    var publicState: RedisConnectionState {
        switch state {
        case .ready: .connected
        case .shutDown: .shutDown
        case .idle, .connecting, .backingOff:
            failures == 0 ? .connecting : .disconnected(since: disconnectedSince, reason: reason)
        }
    }

    // MARK: Events

    mutating func started(_ now: MonotonicTime) -> [Action] {
        guard state == .idle else { return [] }
        disconnectedSince = now
        return begin(now)
    }

    mutating func handshakeCompleted(_ now: MonotonicTime) -> [Action] {
        guard case .connecting = state else { return [] }
        state = .ready(since: now)
        // The failures stay counted until the connection is stable.
        return [.cancelConnectDeadline, .publishState, .releaseWaiting]
    }

    mutating func attemptFailed(_ reason: String, _ now: MonotonicTime, random: Double) -> [Action] {
        guard case .connecting = state else { return [] }
        return [.cancelConnectDeadline] + backOff(reason, now, random)
    }

    /// - Parameter remark: Additional information and advice.
    mutating func connectDeadlinePassed(_ now: MonotonicTime, random: Double, remark: String = "") -> [Action] {
        guard case .connecting = state else { return [] }
        let reason = "no connection within \(connectDeadline.millisecondsRoundedUp) ms\(remark)"
        return [.close(reason: reason)] + backOff(reason, now, random)
    }

    mutating func connectionLost(_ reason: String, _ now: MonotonicTime, random: Double) -> [Action] {
        switch state {
        case .ready(let since):
            disconnectedSince = now
            self.reason = reason
            guard now - since >= RedisConnectionLife.stableAfter else { return backOff(reason, now, random) }
            failures = 0
            return begin(now)
        case .connecting:
            return attemptFailed(reason, now, random: random)
        case .idle, .backingOff, .shutDown:
            return []
        }
    }

    mutating func retryDue(_ now: MonotonicTime) -> [Action] {
        guard case .backingOff = state else { return [] }
        return begin(now)
    }

    mutating func shutDown() -> [Action] {
        guard state != .shutDown else { return [] }
        state = .shutDown
        reason = "the client has been shut down"
        return [
            .cancelConnectDeadline, .cancelRetry, .close(reason: reason), .failWaiting(reason: reason), .publishState,
        ]
    }

    // MARK: Steps

    private mutating func begin(_ now: MonotonicTime) -> [Action] {
        state = .connecting(since: now)
        return [.scheduleConnectDeadline(now + connectDeadline), .publishState, .open]
    }

    private mutating func backOff(_ reason: String, _ now: MonotonicTime, _ random: Double) -> [Action] {
        failures += 1
        self.reason = reason
        let until = now + backoff.pause(after: failures, jitter: random)
        state = .backingOff(until: until)
        return [.scheduleRetry(until), .publishState, .failWaiting(reason: reason)]
    }
}
