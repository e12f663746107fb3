public import Delivery
import FCMCore
public import LiveActivity
public import PushClient
public import Reactor
public import TimeCore

/// Sends live activities to Android devices through FCM: what it adds to the push client is the project's quota, which
/// all gateways share. Nothing is taken for which there is no permit.
///
/// All apps of a service account may share one. Confined to its client's reactor, but for what `PushProvider` gives to
/// any thread, which is immutable.
public final class FCMSender: PushProvider, @unchecked Sendable {
    /// How messages are made, and how many may be sent.
    public struct Options: Sendable {
        /// What the project may send in a minute.
        public var messagesPerMinute = 600_000
        /// See `FCMMessage`.
        public var collapsesUpdates = false
        /// What is taken for now when a message is told how long it is worth keeping.
        public var wallClock: @Sendable () -> WallTime = WallTime.now

        public init() {}
    }

    /// What carries the pushes.
    public let client: PushClient
    private let options: Options
    private let permits: SendPermits
    private var listeners: [any RoomListener] = []
    private var isTurnRequested = false

    /// - Parameters:
    ///   - client: it speaks `FCMDialect`, and is nobody else's.
    ///   - quota: the project's, on the client's reactor.
    public init(_ client: PushClient, quota: any SendQuota, options: Options = Options()) {
        self.client = client
        self.options = options
        permits = SendPermits(quota, messagesPerMinute: options.messagesPerMinute, on: client.reactor)
        permits.came = { [weak self] in self?.announceRoom() }
        client.reactor.execute { [weak self] in client.observer = self }
    }

    /// Project and key, and the URL's host and port.
    public var identity: ProviderIdentity { client.identity }
    /// The client.
    public var engine: ObjectIdentifier { ObjectIdentifier(client) }
    /// Those of `FCMDialect`.
    public var reasons: [String] { client.reasons }
    /// 4,096 bytes of data.
    public func contentLimit(_ destination: Intent.Destination) -> Int { FCMMessage.sizeLimit }

    /// See `FCMMessage.size`. What is no payload is too large.
    public func contentSize(
        of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?
    ) -> Int {
        FCMMessage.size(of: payload, event, of: activity) ?? .max
    }

    /// An `FCMPush`. Starts, updates and ends all go to registration tokens; FCM has no channels. Nil also when the
    /// content is no payload, or over the limit.
    public func render(_ intent: Intent) -> (any RenderedPush)? {
        guard intent.destination == .devices else { return nil }
        return FCMMessage(intent, now: options.wallClock(), collapsesUpdates: options.collapsesUpdates).map(
            FCMPush.init)
    }

    /// Has `body` called, on the client's reactor, when FCM says that the project's quota is used up: with how long FCM
    /// wants to be left alone. Once for a wait.
    public func whenQuotaIsUsedUp(_ body: @escaping @Sendable (TimeInterval) -> Void) {
        client.reactor.execute { [weak self] in self?.permits.quotaUsedUp = body }
    }

    /// Gives as many of the pushes to the client as there are permits for. On its reactor only, like all below.
    public func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int {
        assert(client.reactor.isOnReactor)
        let count = min(batch.count, permits.count)
        let taken =
            count > 0 ? client.push(UnsafeBufferPointer(rebasing: batch[..<count]), rendered, to: receiver) : 0
        if taken > 0 { permits.messagesLeft(taken) }
        requestTurn()
        return taken
    }

    /// The receiver's pushes that have no stream yet end as `unsent(.shutDown)`. Their permits are lost.
    public func withdraw(_ receiver: any PushOutcomeReceiver) { client.withdraw(receiver) }
    /// The receiver's pushes without an answer end as `unsent(.timedOut)`.
    public func cancelUnanswered(_ receiver: any PushOutcomeReceiver) { client.cancelUnanswered(receiver) }
    /// The client's, at most the permits.
    public var room: Int { min(client.room, permits.count) }
    /// The client's free streams less the pushes that wait for one, at most the permits; 0 while paused.
    public var streamRoom: Int { min(max(0, client.room - client.options.queueLimit), permits.count) }
    /// The streams that connections have earned by answers, at most `limit` of each and the permits in all.
    public func provenRoom(ofEach limit: Int) -> Int { min(client.earnedStreams(ofEach: limit), permits.count) }
    /// The client's.
    public var health: ProviderHealth { client.health }
    /// `unknown` while nothing is wrong and no connection is open.
    public var ability: PushAbility {
        client.health.isPaused ? .cannot : client.readyConnections > 0 ? .can : .unknown
    }
    /// The client's.
    public var lastServed: MonotonicTime? { client.lastServed }
    /// Set in the client.
    public var maySend: (MonotonicTime) -> Bool {
        get { client.maySend }
        set { client.maySend = newValue }
    }
    /// Has the client look at waiting pushes at the end of this turn.
    public func turnWanted() { client.turnWanted() }
    /// Has the client look whether it needs another connection, or has a probe due, and has permits asked for.
    public func workCame() {
        client.workCame()
        requestTurn()
    }
    /// Sends a message to nobody, which FCM checks and does not deliver, room and permit or not; nothing happens while
    /// one is under way.
    public func probe() { client.probe(.fcm) }
}

// Whoever waits for room is told when client and permits have it.
extension FCMSender: RoomListener {
    public func add(_ listener: any RoomListener) {
        if listeners.isEmpty { client.add(self) }
        listeners.append(listener)
        requestTurn()
    }

    public func remove(_ listener: any RoomListener) {
        listeners.removeAll { $0 === listener }
        if listeners.isEmpty { client.remove(self) }
    }

    /// The client's room has grown.
    public func roomGrew() {
        announceRoom()
        requestTurn()
    }

    /// Those of all listeners.
    public var pushesWaiting: Int { listeners.reduce(0) { $0 + $1.pushesWaiting } }

    public func healthChanged() {
        for listener in listeners { listener.healthChanged() }
        requestTurn()
    }

    private func announceRoom() {
        guard room > 0, !listeners.isEmpty else { return }
        // A different one is first each time, so that none lives on what the others leave.
        listeners.append(listeners.removeFirst())
        for listener in listeners where room > 0 { listener.roomGrew() }
    }
}

// Permits are asked for once a turn, by what could be sent then.
extension FCMSender: TurnParticipant {
    private func requestTurn() {
        guard !isTurnRequested else { return }
        isTurnRequested = true
        client.reactor.atEndOfTurn(self)
    }

    public func turnEnded() {
        isTurnRequested = false
        permits.messagesWait(demand)
    }

    /// Permits do not keep, so there are none to be had for what cannot leave.
    private var demand: Int {
        if client.health.isPaused { return min(pushesWaiting, client.room) }
        return client.readyConnections > 0 ? pushesWaiting : 0
    }
}

extension FCMSender: AnswerObserver {
    public func pushRejected(_ rejection: Rejection) {
        // One about a device is that device's own quota.
        guard rejection.status == 429, !rejection.classification.isAboutAddress else { return }
        permits.quotaExceeded(wait: .seconds(Int(rejection.retryAfter ?? 60)))
    }

    public func pushRepeated() { permits.messagesLeft(1) }

    public func troublesGathered() { permits.slowDown() }
}
