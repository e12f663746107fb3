public import Delivery
public import TimeCore

/// Decides from answers and failures if a provider accepts pushes with a credential. Pure.
///
/// The breaker distinguishes a failing provider from a failing push or connection. If everything fails on all
/// connections in use, the breaker pauses. If a share fails, the breaker advises a lower rate. During a pause, single
/// pushes probe the provider. The time between probes grows with the outage, and a served probe ends the pause.
///
/// Time and randomness are arguments. After each event read `health`, `allowance` and `nextLook`.
///
/// Invariants:
/// 1. It is paused only after troubles or refusals in a row with nothing good between them, without a connection, or
///    because the provider refused the credential when asked about it, or because there is no authorization to send
///    with.
/// 2. While paused at most one push is under way that was begun after the pause began.
/// 3. A probe is due at the latest `maximumPause` after the last one ended, or when the `Retry-After` of most answers
///    before the pause, or of the last probe, is over, and after `longestRetryAfter` in any case.
/// 4. A probe that was served ends the pause.
public struct CircuitBreaker: Sendable {
    /// The limits and times of this breaker.
    public let configuration: BreakerConfiguration
    /// The present state of the provider.
    public internal(set) var health = ProviderHealth.healthy {
        didSet { isPaused = health.isPaused }
    }
    /// A copy of `health.isPaused` that costs nothing to read.
    public private(set) var isPaused = false
    /// The number of probes so far.
    public internal(set) var probes: UInt64 = 0

    var run = TroubleRun()
    var round = Round()
    var connections = Connections()
    var pause = Pause()

    /// Failures since the last good answer.
    struct TroubleRun {
        var weighty = 0
        var all = 0
        /// The number of failures with a `Retry-After`. A single one may be about a single device.
        var asksToWait = 0
        var refusals = 0
        /// Slots of the connections that failed, a bit each; those from 64 on share bits.
        var slots: UInt64 = 0
        /// The time of the first failure.
        var since: MonotonicTime?
        /// The time of the last good answer; nil before it, and after a pause began.
        var lastGood: MonotonicTime?
    }

    /// Answers since the share was last looked at.
    struct Round {
        var good = 0
        var bad = 0
        var since: MonotonicTime?
    }

    struct Connections {
        var ready = 0
        var failures = 0
        var text = ""
        /// The time since which a connection is needed and none is ready.
        var missingSince: MonotonicTime?
    }

    struct Pause {
        var probeDue = MonotonicTime(nanoseconds: 0)
        /// The begin of the probe under way; nil if there is none.
        var probing: MonotonicTime?
        /// The provider asked for no probe before this time.
        var notBefore = MonotonicTime(nanoseconds: 0)
        var lastProbe: MonotonicTime?
    }

    /// Advice about an event, besides `health`.
    public enum Advice: Equatable, Sendable {
        case none
        /// A share of the answers is bad: send less at a time.
        case slowDown
    }

    public init(_ configuration: BreakerConfiguration = BreakerConfiguration()) {
        self.configuration = configuration
    }

    // MARK: Reading

    /// The time of the last good answer; nil before it, and after a pause began.
    public var lastServed: MonotonicTime? { run.lastGood }

    /// The number of pushes that may begin now; nil if only the connections limit it.
    public func allowance(now: MonotonicTime) -> Int? {
        guard case .paused = health else { return nil }
        return pause.probing == nil && connections.ready > 0 && pause.probeDue <= now ? 1 : 0
    }

    /// The latest time for the next call of `timerFired`; nil if no time matters. It may be in the past, because a due
    /// probe waits for a push.
    public var nextLook: MonotonicTime? {
        guard case .paused = health else {
            return connections.missingSince.map { $0 + configuration.unconnectedToPause }
        }
        return pause.probing.map { $0 + configuration.probeTimeout } ?? pause.probeDue
    }

    // MARK: Answers

    /// Takes answers that show that the provider serves: acceptances, and rejections of the push alone. Not for probes.
    @inline(__always)
    public mutating func served(_ count: Int, now: MonotonicTime) {
        round.good += count
        run.lastGood = now
        if run.all | run.refusals != 0 || isPaused { heardGood(now) }
    }

    private mutating func heardGood(_ now: MonotonicTime) {
        run = TroubleRun(lastGood: now)
        // The push began before the pause, so its answer proves little. But the first probe can begin now.
        if isPaused, pause.lastProbe == nil { pause.probeDue = min(pause.probeDue, max(now, pause.notBefore)) }
    }

    /// Takes an answer that shows trouble, or the lack of an answer. Not for probes.
    /// - Parameters:
    ///   - slot: The slot of its connection.
    ///   - isAlone: True if no other connection accepts pushes.
    ///   - pauses: False for a push without an answer that was sent before the last good answer. Its device is silent,
    ///     so it says nothing of other pushes.
    public mutating func troubled(
        _ trouble: ProviderTrouble, slot: Int, isAlone: Bool, pauses: Bool = true, now: MonotonicTime, random: UInt64
    ) -> Advice {
        // Pushes that were sent before the pause do not prolong it.
        guard !isPaused else { return .none }
        guard pauses else {
            round.bad += 1
            return adviceOfRound(now)
        }
        if run.since == nil { run.since = now }
        run.all += 1
        if trouble.isWeighty { run.weighty += 1 }
        if trouble.retryAfter != nil { run.asksToWait += 1 }
        run.slots |= 1 << UInt64(slot & 63)
        round.bad += 1
        // The pool replaces a single failing connection among several.
        let isGeneral = isAlone || run.slots.nonzeroBitCount > 1
        let isQuiet = run.lastGood.map { now - $0 >= configuration.quiet } ?? true
        let isRun = run.all >= configuration.runToPause || isQuiet && run.weighty >= configuration.troublesToPause
        if isGeneral, isRun {
            let isAskedByMost = run.asksToWait * 2 > run.all
            begin(PauseReason(trouble), now, random)
            if isAskedByMost, let seconds = trouble.retryAfter { retryAfter(seconds, now) }
            return .none
        }
        return adviceOfRound(now)
    }

    private mutating func adviceOfRound(_ now: MonotonicTime) -> Advice {
        // An old answer says nothing about the present state.
        if round.since.map({ now - $0 > .seconds(1) }) ?? true { round = Round(bad: 1, since: now) }
        let all = round.good + round.bad
        guard all >= configuration.answersInRound else { return .none }
        let isTooMany = round.bad * 100 >= all * configuration.shareToSlowDown
        round = Round()
        return isTooMany ? .slowDown : .none
    }

    /// Records refused streams on a connection that the provider still serves. Not for probes.
    public mutating func refused(_ count: Int, now: MonotonicTime, random: UInt64) {
        guard !isPaused else { return }
        let since = run.since ?? now
        run.since = since
        run.refusals += count
        guard run.refusals >= configuration.refusalsToPause, now - (run.lastGood ?? since) >= configuration.quiet
        else { return }
        begin(PauseReason(kind: .refused, name: "Refused", text: "the provider refuses every stream"), now, random)
    }

    /// Pauses because the provider refused the credential of a probe.
    public mutating func credentialRefused(_ trouble: ProviderTrouble, now: MonotonicTime, random: UInt64) {
        guard !isPaused else { return }
        begin(PauseReason(trouble), now, random)
    }

    /// Pauses because no authorization is available. A push that is sent with one ends the pause, as any probe does.
    /// - Parameter text: The reason, for people.
    public mutating func authorizationMissing(_ text: String, now: MonotonicTime, random: UInt64) {
        guard !isPaused else { return }
        begin(PauseReason(kind: .credential, name: "NoAuthorization", text: text), now, random)
    }

    // MARK: Time

    /// New pushes came after a time without any, or the provider has served other gateways. The next probe need not
    /// wait for the end of a pause that is about an earlier time.
    public mutating func workCame(now: MonotonicTime) {
        guard isPaused, pause.probing == nil else { return }
        let soon = pause.lastProbe.map { max($0 + configuration.initialPause, now) } ?? now
        pause.probeDue = min(pause.probeDue, max(soon, pause.notBefore))
    }

    /// Checks the timeouts. A call before `nextLook` has no effect.
    public mutating func timerFired(now: MonotonicTime, random: UInt64) {
        if let since = pause.probing, isPaused, now - since >= configuration.probeTimeout {
            probeEnded(.noAnswer, now: now, random: random)
        }
        if let since = connections.missingSince, now - since >= configuration.unconnectedToPause {
            lackOfConnections(now, random)
        }
    }

    mutating func begin(_ reason: PauseReason, _ now: MonotonicTime, _ random: UInt64) {
        health = .paused(reason, since: now)
        pause = Pause()
        pause.probeDue = now + nextPause(since: now, now, random)
        run = TroubleRun()
        round = Round()
    }

    mutating func retryAfter(_ seconds: UInt32, _ now: MonotonicTime) {
        let wait = min(.seconds(Int(seconds)), configuration.longestRetryAfter)
        pause.notBefore = max(pause.notBefore, now + wait)
        pause.probeDue = max(pause.probeDue, pause.notBefore)
    }

    /// Returns the time until the next probe: a quarter of the outage so far.
    func nextPause(since: MonotonicTime, _ now: MonotonicTime, _ random: UInt64) -> TimeInterval {
        // The provider may accept the topics of other apps, so the pause stays short.
        if case .paused(let reason, _) = health, reason.kind == .topic {
            return configuration.initialPause.cut(random: random)
        }
        let quarter = (now - since).nanoseconds / 4
        let whole = min(max(TimeInterval(nanoseconds: quarter), configuration.initialPause), configuration.maximumPause)
        return whole.cut(random: random)
    }
}

extension PauseReason {
    init(_ trouble: ProviderTrouble) {
        let text =
            switch trouble.kind {
            case .noAnswer: "pushes are not answered in time"
            case .topic: "the provider refuses the app; check its bundle identifier or service account: \(trouble.name)"
            case .credential: "the provider refuses the credential: \(trouble.name)"
            default: "the provider answers \(trouble.name)"
            }
        self.init(kind: trouble.kind, name: trouble.name, text: text)
    }
}
