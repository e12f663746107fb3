public import Delivery
public import TimeCore

/// Whether a provider takes pushes with a credential, as a pure machine: what was heard goes in, whether pushes may be
/// given comes out.
///
/// It tells a sick provider from a sick push and from a sick connection: it pauses when everything fails, on all
/// connections that carry anything, and asks to be slow when a share does. While paused one push at a time probes; the
/// pauses between probes grow with the outage, and one that is served ends it.
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
    /// As it was given.
    public let configuration: BreakerConfiguration
    /// Whether the provider takes pushes, and why not.
    public internal(set) var health = ProviderHealth.healthy {
        didSet { isPaused = health.isPaused }
    }
    /// The same as `health.isPaused`, at no cost.
    public private(set) var isPaused = false
    /// Probes that were begun since the beginning.
    public internal(set) var probes: UInt64 = 0

    var run = TroubleRun()
    var round = Round()
    var connections = Connections()
    var pause = Pause()

    /// What has failed since anything good was heard.
    struct TroubleRun {
        var weighty = 0
        var all = 0
        /// Those with a `Retry-After`: a single one may be meant for a single device.
        var asksToWait = 0
        var refusals = 0
        /// Slots of the connections that failed, a bit each; those from 64 on share bits.
        var slots: UInt64 = 0
        /// When the first of them was heard.
        var since: MonotonicTime?
        /// When something good was last heard; nil before that and since a pause began.
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
        /// Since when one is needed and there is none.
        var missingSince: MonotonicTime?
    }

    struct Pause {
        var probeDue = MonotonicTime(nanoseconds: 0)
        /// When the probe under way began; nil when there is none.
        var probing: MonotonicTime?
        /// The provider does not want to be asked before.
        var notBefore = MonotonicTime(nanoseconds: 0)
        var lastProbe: MonotonicTime?
    }

    /// What an event calls for, besides `health`.
    public enum Advice: Equatable, Sendable {
        case none
        /// A share of the answers is bad: send less at a time.
        case slowDown
    }

    public init(_ configuration: BreakerConfiguration = BreakerConfiguration()) {
        self.configuration = configuration
    }

    // MARK: Reading

    /// When anything good was last heard; nil before that, and since a pause began.
    public var lastServed: MonotonicTime? { run.lastGood }

    /// How many pushes may be begun now; nil: as many as the connections take.
    public func allowance(now: MonotonicTime) -> Int? {
        guard case .paused = health else { return nil }
        return pause.probing == nil && connections.ready > 0 && pause.probeDue <= now ? 1 : 0
    }

    /// When `timerFired` has to be told at the latest; nil when nothing is waited for. May lie in the past: a probe
    /// that is due waits for a push.
    public var nextLook: MonotonicTime? {
        guard case .paused = health else {
            return connections.missingSince.map { $0 + configuration.unconnectedToPause }
        }
        return pause.probing.map { $0 + configuration.probeTimeout } ?? pause.probeDue
    }

    // MARK: Answers

    /// Answers that show that the provider serves: 200, and what is about the push alone. Not for probes.
    @inline(__always)
    public mutating func served(_ count: Int, now: MonotonicTime) {
        round.good += count
        run.lastGood = now
        if run.all | run.refusals != 0 || isPaused { heardGood(now) }
    }

    private mutating func heardGood(_ now: MonotonicTime) {
        run = TroubleRun(lastGood: now)
        // It was begun before the pause, so it proves little; but the first probe need not wait any longer.
        if isPaused, pause.lastProbe == nil { pause.probeDue = min(pause.probeDue, max(now, pause.notBefore)) }
    }

    /// An answer that speaks of trouble, or none at all. Not for probes.
    /// - Parameters:
    ///   - slot: of the connection that it came on.
    ///   - isAlone: whether no other connection takes pushes.
    ///   - pauses: False for a push without an answer that was sent before the last good answer. Its device is silent,
    ///     so it says nothing of other pushes.
    public mutating func troubled(
        _ trouble: ProviderTrouble, slot: Int, isAlone: Bool, pauses: Bool = true, now: MonotonicTime, random: UInt64
    ) -> Advice {
        // What was sent before the pause does not prolong it.
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
        // One connection among several may be sick by itself; then the pool replaces it.
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
        // What was heard long ago says nothing of now.
        if round.since.map({ now - $0 > .seconds(1) }) ?? true { round = Round(bad: 1, since: now) }
        let all = round.good + round.bad
        guard all >= configuration.answersInRound else { return .none }
        let isTooMany = round.bad * 100 >= all * configuration.shareToSlowDown
        round = Round()
        return isTooMany ? .slowDown : .none
    }

    /// Streams were refused, by a provider that goes on to serve the connection. Not for probes.
    public mutating func refused(_ count: Int, now: MonotonicTime, random: UInt64) {
        guard !isPaused else { return }
        let since = run.since ?? now
        run.since = since
        run.refusals += count
        guard run.refusals >= configuration.refusalsToPause, now - (run.lastGood ?? since) >= configuration.quiet
        else { return }
        begin(PauseReason(kind: .refused, name: "Refused", text: "the provider refuses every stream"), now, random)
    }

    /// The provider was asked about the credential, and refused it.
    public mutating func credentialRefused(_ trouble: ProviderTrouble, now: MonotonicTime, random: UInt64) {
        guard !isPaused else { return }
        begin(PauseReason(trouble), now, random)
    }

    /// Nothing can be sent for want of an authorization, for a reason that people may read. A push that is sent with
    /// one ends the pause, as any probe does.
    public mutating func authorizationMissing(_ text: String, now: MonotonicTime, random: UInt64) {
        guard !isPaused else { return }
        begin(PauseReason(kind: .credential, name: "NoAuthorization", text: text), now, random)
    }

    // MARK: Time

    /// New pushes came after a time without any, or others were served meanwhile: what is to be sent need not wait for
    /// a pause that was meant for what is past.
    public mutating func workCame(now: MonotonicTime) {
        guard isPaused, pause.probing == nil else { return }
        let soon = pause.lastProbe.map { max($0 + configuration.initialPause, now) } ?? now
        pause.probeDue = min(pause.probeDue, max(soon, pause.notBefore))
    }

    /// `nextLook` has come, or not yet.
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

    /// A quarter of what the outage has lasted: whoever waited for a minute can wait for a quarter of one more.
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
            case .topic: "the provider refuses the app's topic, so check its bundle identifier: \(trouble.name)"
            case .credential: "the provider refuses the credential: \(trouble.name)"
            default: "the provider answers \(trouble.name)"
            }
        self.init(kind: trouble.kind, name: trouble.name, text: text)
    }
}
