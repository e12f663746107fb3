public import Delivery
import FCMCore
public import LiveActivity
public import PushClient
public import Reactor
public import TimeCore

/// Sends Live Activities to Android devices through FCM. It adds the project's quota, which all gateways share, to the
/// push client. A push without a permit is not accepted.
///
/// Apps of a service account may share one. Confined to its client's reactor, except the immutable members that
/// `PushProvider` offers to any thread.
public final class FCMSender: PushProvider, @unchecked Sendable {
    /// The options of messages and the quota.
    public struct Options: Sendable {
        /// The project's quota of messages in a minute.
        public var messagesPerMinute = 600_000
        /// See `FCMMessage`.
        public var collapsesUpdates = false
        /// The clock for the time to live of messages.
        public var wallClock: @Sendable () -> WallTime = WallTime.now

        public init() {}
    }

    /// The client of the pushes.
    public let client: PushClient
    private let options: Options
    private let permits: SendPermits
    private var listeners: [any RoomListener] = []
    private var isTurnRequested = false

    /// - Parameters:
    ///   - client: An unshared client with `FCMDialect`.
    ///   - quota: The project's quota, on the client's reactor.
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
    /// The reasons of `FCMDialect`.
    public var reasons: [String] { client.reasons }
    /// 4,096 bytes of data.
    public func contentLimit(_ destination: Intent.Destination) -> Int { FCMMessage.sizeLimit }

    /// Returns `FCMMessage.size`, or the maximum for content that is not a payload.
    public func contentSize(
        of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?
    ) -> Int {
        FCMMessage.size(of: payload, event, of: activity) ?? .max
    }

    /// Renders an `FCMPush`. Starts, updates and ends go to registration tokens. Returns nil for a channel, which FCM
    /// does not have. Also returns nil if the content is not a payload or over the limit.
    public func render(_ intent: Intent) -> (any RenderedPush)? {
        guard intent.destination == .devices else { return nil }
        return FCMMessage(intent, now: options.wallClock(), collapsesUpdates: options.collapsesUpdates).map(
            FCMPush.init)
    }

    /// Sets the callback for an exceeded quota, with the wait that FCM requests. Called on the client's reactor, once
    /// for each wait.
    public func whenQuotaIsUsedUp(_ body: @escaping @Sendable (TimeInterval) -> Void) {
        client.reactor.execute { [weak self] in self?.permits.quotaUsedUp = body }
    }

    /// Passes as many pushes to the client as there are permits. On its reactor only, like all members below.
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

    /// Ends the receiver's pushes without a stream as `unsent(.shutDown)`. Their permits are lost.
    public func withdraw(_ receiver: any PushOutcomeReceiver) { client.withdraw(receiver) }
    /// Ends the receiver's pushes without an answer as `unsent(.timedOut)`.
    public func cancelUnanswered(_ receiver: any PushOutcomeReceiver) { client.cancelUnanswered(receiver) }
    /// The client's room, limited by the permits.
    public var room: Int { min(client.room, permits.count) }
    /// The client's free streams minus waiting pushes, limited by the permits; 0 while paused.
    public var streamRoom: Int { min(max(0, client.room - client.options.queueLimit), permits.count) }
    /// The streams that connections have earned by answers, at most `limit` each, limited by the permits.
    public func provenRoom(ofEach limit: Int) -> Int { min(client.earnedStreams(ofEach: limit), permits.count) }
    /// The client's health.
    public var health: ProviderHealth { client.health }
    /// The ability to push; `unknown` if healthy but without an open connection.
    public var ability: PushAbility {
        client.health.isPaused ? .cannot : client.readyConnections > 0 ? .can : .unknown
    }
    /// The time of the client's last success.
    public var lastServed: MonotonicTime? { client.lastServed }
    /// The client's permission to send.
    public var maySend: (MonotonicTime) -> Bool {
        get { client.maySend }
        set { client.maySend = newValue }
    }
    /// Requests a check of waiting pushes at the end of this turn.
    public func turnWanted() { client.turnWanted() }
    /// Requests a check for a needed connection, a due probe and permits.
    public func workCame() {
        client.workCame()
        requestTurn()
    }
    /// Sends a message without a recipient, which FCM validates but does not deliver, regardless of room and permits.
    /// Has no effect while a probe is in progress.
    public func probe() { client.probe(.fcm) }
}

// Listeners are notified when both client and permits have room.
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

    /// Forwards the growth of the client's room.
    public func roomGrew() {
        announceRoom()
        requestTurn()
    }

    /// The number of waiting pushes of all listeners.
    public var pushesWaiting: Int { listeners.reduce(0) { $0 + $1.pushesWaiting } }

    public func healthChanged() {
        for listener in listeners { listener.healthChanged() }
        requestTurn()
    }

    private func announceRoom() {
        guard room > 0, !listeners.isEmpty else { return }
        // The first listener rotates, so that none depends on the rest that others leave.
        listeners.append(listeners.removeFirst())
        for listener in listeners where room > 0 { listener.roomGrew() }
    }
}

// Permits are requested once a turn, for the pushes that could be sent then.
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

    /// Permits expire, so none are requested for pushes that cannot leave.
    private var demand: Int {
        if client.health.isPaused { return min(pushesWaiting, client.room) }
        return client.readyConnections > 0 ? pushesWaiting : 0
    }
}

extension FCMSender: AnswerObserver {
    public func pushRejected(_ rejection: Rejection) {
        // A quota error about an address concerns that device's own quota.
        guard rejection.status == 429, !rejection.classification.isAboutAddress else { return }
        permits.quotaExceeded(wait: .seconds(Int(rejection.retryAfter ?? 60)))
    }

    public func pushRepeated() { permits.messagesLeft(1) }

    public func troublesGathered() { permits.slowDown() }
}
