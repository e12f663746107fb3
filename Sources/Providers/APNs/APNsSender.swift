import APNsCore
public import Delivery
import LiveActivity
public import PushClient
public import TimeCore

/// Sends the Live Activities of one app to APNs. It adds the app's topic to a push client that several apps may share.
public final class APNsSender: PushProvider {
    /// The client of the pushes. Apps with the same provider, team and key may share it.
    public let client: PushClient
    /// A push to no device, with this app's topic.
    public let probePush: ProbePush
    private let topic: String
    private let bundleIdentifier: String

    /// Throws if the bundle identifier is invalid in a header field.
    public init(_ client: PushClient, bundleIdentifier: String) throws {
        topic = PushHeaders.liveActivityTopic(bundleIdentifier: bundleIdentifier)
        guard let probe = ProbePush.apns(topic: topic) else { throw PushHeaders.Invalid.topic(topic) }
        self.client = client
        self.bundleIdentifier = bundleIdentifier
        probePush = probe
    }

    /// The client's identity: team and key, and the URL's host and port.
    public var identity: ProviderIdentity { client.identity }
    /// The client, because apps that share it also share its health.
    public var engine: ObjectIdentifier { ObjectIdentifier(client) }
    /// The reasons of `APNsDialect`.
    public var reasons: [String] { client.reasons }
    /// 4,096 bytes to a device, 5,120 to a channel (Apple: "Sending notification requests to APNs", "Sending broadcast
    /// push notification requests to APNs").
    public func contentLimit(_ destination: Intent.Destination) -> Int {
        switch destination {
        case .devices: PushDestination.updateToken.payloadLimit
        case .channel: PushDestination.broadcastChannel.payloadLimit
        }
    }
    /// The size of the payload in bytes, including the channel to follow.
    public func contentSize(
        of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?
    ) -> Int {
        guard let channel else { return payload.length }
        return Payload.start(payload.bytes(timestamp: 1_000_000_000), following: channel)?.count ?? payload.length
    }

    /// Renders a `PushTemplate`. Starts go to push-to-start tokens, with the activity's id as collapse id and with the
    /// channel to follow, if any. Updates and ends go to update tokens, or to a channel with a limit of 5,120 bytes.
    /// Returns nil for empty or too long content, and for a start to a channel, which APNs does not support.
    public func render(_ intent: Intent) -> (any RenderedPush)? {
        if case .channel(let channel) = intent.destination { return render(intent, to: channel) }
        let headers = try? PushHeaders(
            topic: topic, priority: intent.priority == .immediate ? .immediate : .considerate,
            expiration: UInt64(max(0, intent.expiration)),
            // If a start reaches a device twice, the two collapse into one Live Activity.
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

    /// Passes the pushes to the client. This and all members below are confined to its reactor.
    public func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int {
        client.push(batch, rendered, to: receiver)
    }

    /// Ends the receiver's pushes without a stream as `unsent(.shutDown)`.
    public func withdraw(_ receiver: any PushOutcomeReceiver) { client.withdraw(receiver) }
    /// Ends the receiver's pushes without an answer as `unsent(.timedOut)`.
    public func cancelUnanswered(_ receiver: any PushOutcomeReceiver) { client.cancelUnanswered(receiver) }
    /// Free streams and queue places of the client, which its apps share.
    public var room: Int { client.room }
    /// The number of free streams minus the waiting pushes; 0 while paused.
    public var streamRoom: Int { max(0, client.room - client.options.queueLimit) }
    /// The number of streams that connections have earned by answers, at most `limit` each.
    public func provenRoom(ofEach limit: Int) -> Int { client.earnedStreams(ofEach: limit) }
    /// The health of the client, which its apps share.
    public var health: ProviderHealth { client.health }
    /// The ability to push; `unknown` if healthy but without an open connection.
    public var ability: PushAbility {
        client.health.isPaused ? .cannot : client.readyConnections > 0 ? .can : .unknown
    }
    /// The time of the client's last success.
    public var lastServed: MonotonicTime? { client.lastServed }
    /// The client's permission to send. All apps that share the client use the last value.
    public var maySend: (MonotonicTime) -> Bool {
        get { client.maySend }
        set { client.maySend = newValue }
    }
    /// Requests a check of waiting pushes at the end of this turn.
    public func turnWanted() { client.turnWanted() }
    /// Requests a check for a needed connection or a due probe.
    public func workCame() { client.workCame() }
    /// Sends `probePush` regardless of room, unless a probe is in progress.
    public func probe() { client.probe(probePush) }
    /// Adds a listener to the client.
    public func add(_ listener: any RoomListener) { client.add(listener) }
    /// Removes a listener from the client, if it is present.
    public func remove(_ listener: any RoomListener) { client.remove(listener) }
}
