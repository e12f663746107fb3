import APNsCore
public import Delivery
import LiveActivity
public import PushClient
public import TimeCore

/// Sends the live activities of one app to APNs: what the app adds to the push client that it may share with others is
/// its topic.
public final class APNsSender: PushProvider {
    /// What carries the pushes; other apps with the same provider, team and key may share it.
    public let client: PushClient
    /// The push that is nobody's, with this app's topic.
    public let probePush: ProbePush
    private let topic: String
    private let bundleIdentifier: String

    /// Throws when the bundle identifier cannot stand in a header field.
    public init(_ client: PushClient, bundleIdentifier: String) throws {
        topic = PushHeaders.liveActivityTopic(bundleIdentifier: bundleIdentifier)
        guard let probe = ProbePush.apns(topic: topic) else { throw PushHeaders.Invalid.topic(topic) }
        self.client = client
        self.bundleIdentifier = bundleIdentifier
        probePush = probe
    }

    /// The client's: team and key, and the URL's host and port.
    public var identity: ProviderIdentity { client.identity }
    /// The client, so that apps that share it are paused and well together.
    public var engine: ObjectIdentifier { ObjectIdentifier(client) }
    /// Those of `APNsDialect`.
    public var reasons: [String] { client.reasons }
    /// 4,096 bytes to a device, 5,120 to a channel (Apple: "Sending notification requests to APNs", "Sending broadcast
    /// push notification requests to APNs").
    public func contentLimit(_ destination: Intent.Destination) -> Int {
        switch destination {
        case .devices: PushDestination.updateToken.payloadLimit
        case .channel: PushDestination.broadcastChannel.payloadLimit
        }
    }
    /// The payload's own bytes, with the channel to follow.
    public func contentSize(
        of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?
    ) -> Int {
        guard let channel else { return payload.length }
        return Payload.start(payload.bytes(timestamp: 1_000_000_000), following: channel)?.count ?? payload.length
    }

    /// A `PushTemplate`. Starts go to push-to-start tokens, with the activity's id to collapse by, and with the channel
    /// to follow if there is one; updates and ends go to update tokens, or to a channel, for which 5,120 bytes are the
    /// limit. Nil when the content is empty or longer, and for a start to a channel, which APNs does not have.
    public func render(_ intent: Intent) -> (any RenderedPush)? {
        if case .channel(let channel) = intent.destination { return render(intent, to: channel) }
        let headers = try? PushHeaders(
            topic: topic, priority: intent.priority == .immediate ? .immediate : .considerate,
            expiration: UInt64(max(0, intent.expiration)),
            // Should a start reach a device twice after all, the two collapse into one Live Activity.
            collapseIdentifier: intent.event == .start ? intent.activity.description : nil)
        guard let headers else { return nil }
        var body = intent.content
        if let channel = intent.following {
            guard let following = Payload.start(body, following: channel) else { return nil }
            body = following
        }
        return try? PushTemplate(
            destination: intent.event == .start ? .pushToStartToken : .updateToken, event: intent.event,
            headers: headers, identifier: PushIdentifier(broadcast: intent.broadcast), body: body)
    }

    private func render(_ intent: Intent, to channel: String) -> PushTemplate? {
        guard intent.event != .start,
            let headers = try? PushHeaders(
                topic: bundleIdentifier, priority: intent.priority == .immediate ? .immediate : .considerate,
                expiration: UInt64(max(0, intent.expiration)), channel: channel)
        else { return nil }
        return try? PushTemplate(
            destination: .broadcastChannel, event: intent.event, headers: headers,
            identifier: PushIdentifier(broadcast: intent.broadcast), body: intent.content)
    }

    /// Gives the pushes to the client. On its reactor only, like all below.
    public func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int {
        client.push(batch, rendered, to: receiver)
    }

    /// The receiver's pushes that have no stream yet end as `unsent(.shutDown)`.
    public func withdraw(_ receiver: any PushOutcomeReceiver) { client.withdraw(receiver) }
    /// The receiver's pushes without an answer end as `unsent(.timedOut)`.
    public func cancelUnanswered(_ receiver: any PushOutcomeReceiver) { client.cancelUnanswered(receiver) }
    /// Free streams and places in the client's queue, for all apps that share it together.
    public var room: Int { client.room }
    /// Free streams less the pushes that wait for one; 0 while paused.
    public var streamRoom: Int { max(0, client.room - client.options.queueLimit) }
    /// The streams that connections have earned by answers, at most `limit` of each.
    public func provenRoom(ofEach limit: Int) -> Int { client.earnedStreams(ofEach: limit) }
    /// The client's, so it is that of all apps that share it.
    public var health: ProviderHealth { client.health }
    /// `unknown` while nothing is wrong and no connection is open.
    public var ability: PushAbility {
        client.health.isPaused ? .cannot : client.readyConnections > 0 ? .can : .unknown
    }
    /// The client's.
    public var lastServed: MonotonicTime? { client.lastServed }
    /// Set in the client: the last one that is set counts for all apps that share it.
    public var maySend: (MonotonicTime) -> Bool {
        get { client.maySend }
        set { client.maySend = newValue }
    }
    /// Has the client look at waiting pushes at the end of this turn.
    public func turnWanted() { client.turnWanted() }
    /// Has the client look whether it needs another connection, or has a probe due.
    public func workCame() { client.workCame() }
    /// Sends `probePush`, room or not; nothing happens while one is under way.
    public func probe() { client.probe(probePush) }
    /// Has the listener told by the client.
    public func add(_ listener: any RoomListener) { client.add(listener) }
    /// The listener hears nothing more. One that is not there is passed over.
    public func remove(_ listener: any RoomListener) { client.remove(listener) }
}
