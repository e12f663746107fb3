import APNsCore
public import Delivery
import LiveActivity
public import PushClient
public import TimeCore

/// Sends the live activities of one app to APNs: what the app adds to the push client that it may share with others is its
/// topic.
public final class APNsSender: PushProvider {
    public let client: PushClient
    /// The push that is nobody's, with this app's topic.
    public let probePush: ProbePush
    private let topic: String

    /// Throws when the bundle identifier cannot stand in a header field.
    public init(_ client: PushClient, bundleIdentifier: String) throws {
        topic = PushHeaders.liveActivityTopic(bundleIdentifier: bundleIdentifier)
        guard let probe = ProbePush.apns(topic: topic) else { throw PushHeaders.Invalid.topic(topic) }
        self.client = client
        probePush = probe
    }

    public var identity: ProviderIdentity { client.identity }
    public var engine: ObjectIdentifier { ObjectIdentifier(client) }
    public var reasons: [String] { client.reasons }
    public var contentLimit: Int { PushDestination.updateToken.payloadLimit }

    public func render(_ intent: Intent) -> (any RenderedPush)? {
        guard let identifier = PushIdentifier(broadcast: intent.broadcast.bytes),
            let headers = try? PushHeaders(
                topic: topic, priority: intent.priority == .immediate ? .immediate : .considerate,
                expiration: UInt64(max(0, intent.expiration)),
                // Should a start reach a device twice after all, the two collapse into one card.
                collapseIdentifier: intent.event == .start ? intent.activity.description : nil)
        else { return nil }
        return try? PushTemplate(
            destination: intent.event == .start ? .pushToStartToken : .updateToken, event: intent.event,
            headers: headers, identifier: identifier, body: intent.content)
    }

    public func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int {
        client.push(batch, rendered, to: receiver)
    }

    public func withdraw(_ receiver: any PushOutcomeReceiver) { client.withdraw(receiver) }
    public var room: Int { client.room }
    public var streamRoom: Int { max(0, client.room - client.options.queueLimit) }
    public func provenRoom(ofEach limit: Int) -> Int { client.earnedStreams(ofEach: limit) }
    public var health: ProviderHealth { client.health }
    public var ability: PushAbility {
        client.health.isPaused ? .cannot : client.readyConnections > 0 ? .can : .unknown
    }
    public var maySend: (MonotonicTime) -> Bool {
        get { client.maySend }
        set { client.maySend = newValue }
    }
    public func turnWanted() { client.turnWanted() }
    public func workCame() { client.workCame() }
    public func probe() { client.probe(probePush) }
    public func add(_ listener: any RoomListener) { client.add(listener) }
    public func remove(_ listener: any RoomListener) { client.remove(listener) }
}
