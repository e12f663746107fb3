import Connecting
public import Delivery
import FlatMemory
import HealthCore
import PoolCore
public import Reactor
import TimeCore

/// Sends pushes to one provider with one credential, over a pool of HTTP/2 connections.
///
/// Every push that is taken ends in exactly one outcome, at the latest `pushDeadline` after it was taken. Retries
/// that cost nothing (a stream that the provider refused unprocessed, a push not written when its connection ended)
/// happen inside; all others are the caller's to decide.
///
/// It takes nothing while there is no connection, and while the provider is in trouble (`health`) only one push at a
/// time, to find out whether it serves again. Connections are opened for what the listeners say is waiting.
///
/// Confined to its reactor: `push`, `room` and the listeners belong to the reactor's thread. `init`, `snapshot` and
/// `shutdown` may be called from anywhere. Call `shutdown` before letting go of it.
public final class PushClient: @unchecked Sendable {
    /// Whose thread everything happens on.
    public let reactor: Reactor
    /// As they were given to `init`.
    public let options: PushClientOptions
    let connector: ProviderConnector
    var url: ProviderURL { connector.url }

    // All below belongs to the reactor's thread.
    var pool: ConnectionPool
    var connections: [PushConnection?]
    let dialect: any PushDialect
    /// What pushes are signed with. On the reactor only, but for its account.
    public let authorization: ReplaceableAuthorization
    var pushes: PushTable
    var suspects = SuspectTokens()
    /// The rejections for which another connection is asked, by the push's index. An entry with another sequence is old.
    var doubts: [UInt32: (sequence: UInt64, rejection: Rejection)] = [:]
    /// The topics for which the provider has accepted pushes: one for each app and kind of destination.
    var provenTopics: Set<String> = []
    var sources = PushSourceTable()
    /// Accepted pushes whose receivers have not heard of it, and those that are being told.
    var accepted = PlainBuffer<AcceptedPush>()
    var delivering = PlainBuffer<AcceptedPush>()
    /// Sources with other results that their receivers have not heard of.
    var reporting: [UInt32] = []
    /// Pushes whose stream was refused in this turn, and those that lost it with their connection or its limit.
    var refused: [UInt32] = []
    var displaced: [UInt32] = []
    var listeners: [any RoomListener] = []
    var announcedRoom = 0
    var breaker: CircuitBreaker
    var announcedHealth = ProviderHealth.healthy
    /// The push that tries whether the provider serves again, while it is under way.
    var probe: (index: UInt32, sequence: UInt64, connection: ConnectionID)?
    /// Where the last push was placed.
    var lastPlaced: UInt32 = 0
    var healthTimer: (timer: ReactorTimer, time: MonotonicTime)?
    /// Since when nothing waits, as far as is known.
    var idleSince: MonotonicTime?
    /// What was needed at the end of the last turn.
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

    /// Reads and checks everything that the options name. Opens no connection yet.
    /// - Parameters:
    ///   - dialect: how the provider is spoken to.
    ///   - authorization: on the same reactor, and nobody else's.
    ///   - random: any number; it spreads pauses.
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

    /// How many more pushes are taken now: free streams and places in the queue. 0 without a connection; while paused 1
    /// when a probe is due, and 0 otherwise. On the reactor only.
    public internal(set) var room: Int

    /// Whether the provider takes pushes. On the reactor only.
    public var health: ProviderHealth { breaker.health }
    /// When the provider has last served a push; nil before that, and since a pause began. On the reactor only.
    public var lastServed: MonotonicTime? { breaker.lastServed }

    /// Takes pushes, to be sent at the end of this turn or when streams are free: from the first on, as many as there
    /// is room for. The receiver is not called before this returns. On the reactor only.
    /// - Parameters:
    ///   - batch: their tokens, of 1 to `PushDialect.longestToken` bytes, are copied. One that cannot be sent is taken,
    ///     and ends as unsendable.
    ///   - rendered: what all of them share.
    ///   - receiver: it hears once of each that is taken, and nothing of the others.
    /// - Returns: how many were taken; none when the client is shutting down.
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
        // While what was copied is still in the cache.
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
            // Those that wait are bounded, so that they leave room for the others.
            let isSuspect =
                !suspects.isEmpty && pushes.waitingSuspectCount < PushClient.suspectLimit && suspects.contains(token)
            pushes.insert(
                tag: push.tag, slot: push.slot, source: source, deadline: deadline, token: token, isSuspect: isSuspect)
            left -= 1
        }
        room = left
        return taken
    }

    /// Asked at the end of a turn before anything is given to a connection: false keeps all pushes waiting, until their
    /// deadline. Call `turnWanted` when that has changed. On the reactor only.
    public var maySend: (MonotonicTime) -> Bool = { _ in true }

    /// Told of connections and provider tokens, on the reactor; it must not call back. Set it on the reactor only.
    public var onEvent: ((PushClientEvent) -> Void)?

    /// Told of answers. Not kept alive. Set it on the reactor only.
    public weak var observer: (any AnswerObserver)?

    /// How many connections carry pushes now. On the reactor only.
    public var readyConnections: Int { pool.readyCount }

    /// Streams that the connections have earned by their answers, at most so many of each. On the reactor only.
    public func earnedStreams(ofEach limit: Int) -> Int { pool.earnedStreams(ofEach: limit) }

    /// Whose credential pushes are sent with, and where to. From any thread.
    public var identity: ProviderIdentity { ProviderIdentity(authorization.account, authority: url.authority) }

    /// The reasons of rejections that the provider documents. From any thread.
    public var reasons: [String] { dialect.reasons }
    /// Has waiting pushes looked at again. On the reactor only.
    public func turnWanted() {
        requestTurn()
    }

    /// The receiver's pushes that have no stream yet are not sent any more: they end as `unsent(.shutDown)`, when their
    /// turn comes. On the reactor only.
    public func withdraw(_ receiver: any PushOutcomeReceiver) {
        for index in sources.indexes(of: receiver) {
            sources[index].isWithdrawn = true
            for connection in connections { connection?.unload(index) }
            isSweepDue = true
        }
        requestTurn()
    }

    /// Tell this when pushes have come to wait: it may be for want of a connection, of a stream, or of a push that
    /// could probe. On the reactor only.
    public func workCame() {
        guard lastDemand == 0 || breaker.isPaused, room == 0 || !pool.hasFreeStream else { return }
        requestTurn()
    }

    /// Pushes to suspect tokens that may wait for a stream; further ones go among the others.
    static let suspectLimit = 256

    /// Calls `listener` at the end of each turn in which `room` grew, until it is removed. On the reactor only.
    public func add(_ listener: any RoomListener) {
        guard closing == nil else { return }
        listeners.append(listener)
        requestTurn()
    }

    /// The listener hears nothing more. One that is not there is passed over. On the reactor only.
    public func remove(_ listener: any RoomListener) {
        listeners.removeAll { $0 === listener }
    }

    func requestTurn() {
        guard !isTurnRequested else { return }
        isTurnRequested = true
        reactor.atEndOfTurn(self)
    }
}
