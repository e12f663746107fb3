import NIOCore
import TimeCore

/// A step of a load test: sends a player's calls over connections at a pacer's pace. Confined to one event loop.
///
/// Each answer, timer and new connection triggers a check for due calls.
final class LoadRun<Player: CallPlayer>: ConnectionSetOwner {
    struct Limits {
        /// The time limit of an answer, and of sending due calls after the last due time.
        var timeout = TimeInterval.seconds(60)
        /// The maximum number of calls under way, without follow-ups.
        var inFlight = 64
        /// The maximum number of follow-ups under way.
        var followUps = 0
        /// The maximum number of requests, including follow-ups.
        var requests = Int.max
        /// The latest due time of a scheduled call, from the start; nil for no limit.
        var duration: TimeInterval?
    }

    private(set) var player: Player
    private(set) var pacer: Pacer
    private(set) var statistics = CallStatistics()
    private(set) var start: MonotonicTime
    private(set) var end: MonotonicTime
    /// True if the user stopped the step, or the gateway rejected the key.
    private(set) var isBrokenOff = false
    /// The reasons of an early end, as sentences.
    private(set) var notes: [String] = []

    private let connections: ConnectionSet
    private let limits: Limits
    private let control: LoadControl
    private let ended: EventLoopPromise<Void>
    private let eventLoop: any EventLoop
    private var followUpsUnderWay = 0
    private var requests = 0
    private var isWakeSet = false
    /// True if no more calls are sent.
    private var isClosing = false
    private var isEnded = false
    private var closingSince: MonotonicTime?

    /// The time limit of calls under way after an early end.
    private static var patience: TimeInterval { .seconds(5) }
    private static var tick: TimeAmount { .milliseconds(50) }
    /// The minimum interval of timers, because a check costs as much as a call.
    private static var finestWake: TimeInterval { .microseconds(50) }

    init(
        _ player: Player, pace: Pacer.Pace, limits: Limits, connections: ConnectionSet, control: LoadControl,
        eventLoop: any EventLoop
    ) {
        self.player = player
        self.limits = limits
        self.connections = connections
        self.control = control
        self.eventLoop = eventLoop
        start = MonotonicTime.now()
        end = start
        pacer = Pacer(pace, start: start, bound: limits.inFlight)
        ended = eventLoop.makePromise()
    }

    /// Starts the step. The future succeeds when all calls have ended.
    func begin() -> EventLoopFuture<Void> {
        connections.owner = self
        control.callsEnded(0)
        setTick()
        proceed()
        return ended.futureResult
    }

    // MARK: Events

    func connectionFree() { proceed() }

    func connectionFailed(_ reason: String) {
        guard !isEnded, !isClosing else { return endIfDone() }
        // A failed connection fails a waiting call, so an unreachable gateway ends the run instead of stalling it.
        if pacer.due(at: .now()) != nil {
            pacer.callFailed()
            statistics.callUnconnected(reason)
        } else if followUpsUnderWay < limits.followUps {
            var unsent = ByteBuffer()
            let now = MonotonicTime.now()
            if let played = player.nextFollowUp(to: &unsent, at: now) {
                statistics.callUnconnected(reason)
                player.callEnded(played, .lost(reason), at: now)
            }
        }
        proceed()
    }

    func callEnded(_ call: LoadConnection.Call, _ outcome: CallOutcome) {
        let now = MonotonicTime.now()
        statistics.callEnded(
            call.played.kind, outcome, due: call.due, sent: call.sent, at: now, isByTheClock: call.isByTheClock,
            isTooEarly: player.isTooEarly(call.played, outcome))
        if call.isByTheClock { pacer.callEnded(at: now) } else { followUpsUnderWay -= 1 }
        player.callEnded(call.played, outcome, at: now)
        if case .answered(let status, _) = outcome, status == 401, statistics.sum(\.succeeded) == 0 {
            refuse()
        }
        proceed()
    }

    /// Stops the run, because a key that is rejected once will be rejected for all calls.
    private func refuse() {
        guard !isBrokenOff else { return }
        notes.append("the gateway refused the key (401); the run was stopped")
        breakOff(at: .now())
    }

    private func setTick() {
        eventLoop.assumeIsolated().scheduleTask(in: LoadRun.tick) { [weak self] in
            guard let self, !isEnded else { return }
            ticked()
            setTick()
        }
    }

    private func ticked() {
        let now = MonotonicTime.now()
        control.callsEnded(statistics.ended)
        if control.isStopped { breakOff(at: now) }
        if now.nanoseconds > limits.timeout.nanoseconds {
            connections.giveUp(sentBefore: MonotonicTime(nanoseconds: now.nanoseconds - limits.timeout.nanoseconds))
        }
        if let duration = limits.duration, now >= start + duration + limits.timeout { close(at: now) }
        if isBrokenOff, let closingSince, now >= closingSince + LoadRun.patience { connections.giveUp(sentBefore: now) }
        proceed()
    }

    private func breakOff(at now: MonotonicTime) {
        isBrokenOff = true
        close(at: now)
    }

    private func close(at now: MonotonicTime) {
        guard !isClosing else { return }
        isClosing = true
        closingSince = now
    }

    // MARK: Sending

    private func proceed() {
        guard !isEnded else { return }
        if player.isFinished { close(at: .now()) }
        if !isClosing {
            sendCalls()
            sendFollowUps()
            stopAtLimit()
        }
        endIfDone()
    }

    private func stopAtLimit() {
        guard requests >= limits.requests, !pacer.isExhausted || player.hasFollowUps else { return }
        notes.append("the run was stopped after \(requests) requests (--max-requests)")
        close(at: .now())
    }

    private func sendCalls() {
        var now = MonotonicTime.now()
        while requests < limits.requests, let due = pacer.due(at: now) {
            guard let connection = connections.firstFree else {
                openConnection()
                return
            }
            connection.request.clear()
            guard let played = player.nextCall(to: &connection.request) else {
                pacer.playerHeld(at: now)
                return
            }
            pacer.callSent(due: due, at: now)
            send(played, on: connection, due: due, now, isByTheClock: true)
            now = .now()
        }
        setWake(now)
    }

    private func sendFollowUps() {
        while requests < limits.requests, followUpsUnderWay < limits.followUps, player.hasFollowUps {
            guard let connection = connections.firstFree else { return openConnection() }
            connection.request.clear()
            let now = MonotonicTime.now()
            guard let played = player.nextFollowUp(to: &connection.request, at: now) else { return }
            followUpsUnderWay += 1
            send(played, on: connection, due: now, now, isByTheClock: false)
        }
    }

    /// Opens a connection unless several are opening already, which would flood the gateway.
    private func openConnection() {
        if connections.opening < 8 { connections.open(1) }
    }

    private func send(
        _ played: PlayedCall, on connection: LoadConnection, due: MonotonicTime, _ now: MonotonicTime,
        isByTheClock: Bool
    ) {
        requests += 1
        connections.send(
            LoadConnection.Call(
                played: played, due: due, sent: now, isByTheClock: isByTheClock, keepsBody: player.readsAnswers),
            on: connection)
    }

    private func setWake(_ now: MonotonicTime) {
        guard !isWakeSet, let time = pacer.wakeTime else { return }
        isWakeSet = true
        let wait = max(time - now, LoadRun.finestWake)
        eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(min(wait.nanoseconds, 3_600_000_000_000)))) {
            [weak self] in
            guard let self else { return }
            isWakeSet = false
            proceed()
        }
    }

    // MARK: End

    private func endIfDone() {
        guard !isEnded, pacer.underWay == 0, followUpsUnderWay == 0 else { return }
        guard isClosing || pacer.isExhausted && !player.hasFollowUps else { return }
        isEnded = true
        end = .now()
        // Calls that are due but unsent have waited until now. A finished player no longer needs them.
        while !player.isFinished, let due = pacer.giveUpNext(at: end) { statistics.callGivenUp(due: due, at: end) }
        control.callsEnded(statistics.ended)
        ended.succeed()
    }
}
