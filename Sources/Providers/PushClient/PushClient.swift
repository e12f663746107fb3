import Connecting
public import Delivery
import FlatMemory
import HealthCore
import PoolCore
public import Reactor
import TimeCore

/// Sends pushes to one provider with one credential, over a pool of HTTP/2 connections.
///
/// Every accepted push has exactly one outcome, within `pushDeadline`. Retries without risk are internal: a stream
/// refused unprocessed, a push unwritten when its connection ended. The caller decides about all others.
///
/// Without a connection it accepts no pushes. While the provider is in trouble (`health`) it accepts only single
/// probes. Connections are opened for the demand of the listeners.
///
/// Confined to its reactor: `push`, `room` and the listeners belong to the reactor's thread. `init`, `snapshot` and
/// `shutdown` may be called from any thread. Call `shutdown` before releasing it.
public final class PushClient: @unchecked Sendable {
    /// The reactor to which the client is confined.
    public let reactor: Reactor
    /// The options, unchanged.
    public let options: PushClientOptions
    let connector: ProviderConnector
    var url: ProviderURL { connector.url }

    // Used by the reactor's thread only.
    var pool: ConnectionPool
    var connections: [PushConnection?]
    let dialect: any PushDialect
    /// The authorization of pushes. On the reactor only, except its account.
    public let authorization: ReplaceableAuthorization
    var pushes: PushTable
    var suspects = SuspectTokens()
    /// The rejections that wait for another connection's answer, by the push's index. Old ones have another sequence.
    var doubts: [UInt32: (sequence: UInt64, rejection: Rejection)] = [:]
    /// The topics for which the provider has accepted pushes: one for each app and kind of destination.
    var provenTopics: Set<String> = []
    var sources = PushSourceTable()
    /// Accepted pushes to report to their receivers, and those being reported.
    var accepted = PlainBuffer<AcceptedPush>()
    var delivering = PlainBuffer<AcceptedPush>()
    /// Sources with other results to report.
    var reporting: [UInt32] = []
    /// Pushes whose stream was refused in this turn, and those displaced by their connection's end or limit.
    var refused: [UInt32] = []
    var displaced: [UInt32] = []
    var listeners: [any RoomListener] = []
    var announcedRoom = 0
    var breaker: CircuitBreaker
    var announcedHealth = ProviderHealth.healthy
    /// The probe in progress.
    var probe: (index: UInt32, sequence: UInt64, connection: ConnectionID)?
    /// The index of the last placed push.
    var lastPlaced: UInt32 = 0
    var healthTimer: (timer: ReactorTimer, time: MonotonicTime)?
    /// The time since when no push is known to wait.
    var idleSince: MonotonicTime?
    /// The demand at the end of the last turn.
    var lastDemand = 0
    var ownProbe: OwnProbe?
    var isSweepDue = false
    var counts = PushClientCounts()
    var metrics: PushMetrics
    var lastFailure: String?
    var isTurnRequested = false
    var poolTimer: ReactorTimer?
    var isDeadlineTimerSet = false
    var closing: Closing?
    let random: @Sendable () -> UInt64

    /// Reads and checks the files in the options. Opens no connection yet.
    /// - Parameters:
    ///   - dialect: The requests and answers of the provider.
    ///   - authorization: An unshared source on the same reactor.
    ///   - random: Any number; it spreads pauses.
    public init(
        reactor: Reactor, options: PushClientOptions, dialect: any PushDialect,
        authorization: any AuthorizationSource,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) throws(PushConfigurationError) {
        try options.check()
        self.reactor = reactor
        self.options = options
        self.random = random
        connector = try ProviderConnector(options, on: reactor)
        self.dialect = dialect
        pushes = PushTable(longestToken: dialect.longestToken)
        self.authorization = ReplaceableAuthorization(authorization)
        metrics = PushMetrics(PushOutcomeNames(reasons: dialect.reasons))
        var configuration = PoolConfiguration()
        configuration.maximumConnections = options.maximumConnections
        configuration.attemptTimeout = TimeInterval(nanoseconds: options.connectTimeout.nanoseconds &* 3)
        configuration.idlePingInterval = options.idlePingInterval
        configuration.pingTimeout = options.pingTimeout
        configuration.idleTimeout = options.idleTimeout
        configuration.stallTimeout = options.pushDeadline
        configuration.drainTimeout = options.pushDeadline
        configuration.maximumStreamsPerConnection = options.pushesPerConnection
        configuration.backoff.first = options.initialBackoff
        configuration.backoff.longest = options.maximumBackoff
        configuration.initialWindow = options.initialStreams
        pool = ConnectionPool(configuration)
        connections = Array(repeating: nil, count: configuration.slotCount)
        var health = BreakerConfiguration()
        health.initialPause = TimeInterval(nanoseconds: options.initialBackoff.nanoseconds &* 2)
        health.maximumPause = max(options.maximumBackoff, health.initialPause)
        health.probeTimeout = TimeInterval(nanoseconds: options.pushDeadline.nanoseconds &* 2)
        breaker = CircuitBreaker(health)
        room = 0
        reactor.execute { [weak self] in
            self?.authorization.begin()
            self?.authorization.whenSettled { change in self?.authorizationSettled(change) }
        }
    }

    /// The number of pushes that are accepted now: free streams and queue places. It is 0 without a connection. While
    /// paused it is 1 if a probe is due, otherwise 0. On the reactor only.
    public internal(set) var room: Int

    /// The health of the provider. On the reactor only.
    public var health: ProviderHealth { breaker.health }
    /// The time of the provider's last success; nil before, and since the beginning of a pause. On the reactor only.
    public var lastServed: MonotonicTime? { breaker.lastServed }

    /// Accepts pushes from the first on, up to the room, and sends them at the end of this turn or when streams are
    /// free. The receiver is not called before this returns. On the reactor only.
    /// - Parameters:
    ///   - batch: The pushes. Their tokens, of 1 to `PushDialect.longestToken` bytes, are copied. A push with another
    ///     token is accepted and ends as unsendable.
    ///   - rendered: The shared part of the pushes.
    ///   - receiver: Receives one outcome for each accepted push.
    /// - Returns: The number of accepted pushes; 0 during a shutdown.
    public func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int {
        assert(reactor.isOnReactor)
        guard room > 0, closing == nil, !batch.isEmpty else { return 0 }
        let source = sources.index(of: rendered, receiver)
        let taken = take(batch, source)
        sources.pushesTaken(source, taken)
        if !isDeadlineTimerSet { setDeadlineTimer() }
        requestTurn()
        // The copied tokens are still in the cache.
        if pushes.waitingCount >= PushClient.runLength, pool.hasFreeStream { placeWaiting() }
        return taken
    }

    private func take(_ batch: UnsafeBufferPointer<PendingPush>, _ source: UInt32) -> Int {
        let deadline = reactor.now + options.pushDeadline
        var left = room
        var taken = 0
        while left > 0, taken < batch.count {
            let push = batch[taken]
            let token = push.token
            taken += 1
            guard (1...pushes.longestToken).contains(token.count) else {
                let outcome = PushOutcome.unsent(.unsendable, mayHaveBeenDelivered: false)
                report(source, PushResult(tag: push.tag, slot: push.slot, outcome: outcome))
                continue
            }
            // Waiting suspects are limited, so that they leave room for other pushes.
            let isSuspect =
                !suspects.isEmpty && pushes.waitingSuspectCount < PushClient.suspectLimit && suspects.contains(token)
            pushes.insert(
                tag: push.tag, slot: push.slot, source: source, deadline: deadline, token: token, isSuspect: isSuspect)
            left -= 1
        }
        room = left
        return taken
    }

    /// Called at the end of a turn before pushes are handed to a connection. False keeps all pushes waiting, until
    /// their deadline. Call `turnWanted` after a change. On the reactor only.
    public var maySend: (MonotonicTime) -> Bool = { _ in true }

    /// Called with events of connections and tokens, on the reactor; it must not call back. Set it there only.
    public var onEvent: ((PushClientEvent) -> Void)?

    /// The observer of answers, held weakly. Set it on the reactor only.
    public weak var observer: (any AnswerObserver)?

    /// The number of connections that accept pushes now. On the reactor only.
    public var readyConnections: Int { pool.readyCount }

    /// The number of streams that the connections have earned by answers, at most `limit` each. On the reactor only.
    public func earnedStreams(ofEach limit: Int) -> Int { pool.earnedStreams(ofEach: limit) }

    /// The credential and provider of the pushes. From any thread.
    public var identity: ProviderIdentity { ProviderIdentity(authorization.account, authority: url.authority) }

    /// The rejection reasons that the provider documents. From any thread.
    public var reasons: [String] { dialect.reasons }
    /// Requests a check of waiting pushes. On the reactor only.
    public func turnWanted() {
        requestTurn()
    }

    /// Withdraws the receiver's pushes without a stream; they end as `unsent(.shutDown)` in a later turn. On the
    /// reactor only.
    public func withdraw(_ receiver: any PushOutcomeReceiver) {
        for index in sources.indexes(of: receiver) {
            sources[index].isWithdrawn = true
            for connection in connections { connection?.unload(index) }
            isSweepDue = true
        }
        requestTurn()
    }

    /// Reports new waiting pushes, which may need a connection or a stream, or may serve as a probe. On the reactor
    /// only.
    public func workCame() {
        guard lastDemand == 0 || breaker.isPaused, room == 0 || !pool.hasFreeStream else { return }
        requestTurn()
    }

    /// The maximum number of waiting pushes to suspect tokens; further ones count as ordinary.
    static let suspectLimit = 256

    /// Adds a listener, which is called at the end of each turn in which `room` grew. On the reactor only.
    public func add(_ listener: any RoomListener) {
        guard closing == nil else { return }
        listeners.append(listener)
        requestTurn()
    }

    /// Removes a listener, if it is present. On the reactor only.
    public func remove(_ listener: any RoomListener) {
        listeners.removeAll { $0 === listener }
    }

    func requestTurn() {
        guard !isTurnRequested else { return }
        isTurnRequested = true
        reactor.atEndOfTurn(self)
    }
}
