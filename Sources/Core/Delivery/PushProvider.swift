public import LiveActivity
public import TimeCore

/// Sends pushes of one app over one kind of route, or over several. All on its reactor, but for what says otherwise.
///
/// Every push that is taken ends in exactly one outcome. The seam is crossed once for a run of pushes, never for a
/// single one.
public protocol PushProvider: AnyObject, Sendable {
    /// Whose credential it pushes with, and where to. From any thread.
    var identity: ProviderIdentity { get }
    /// What is paused and well as one: two providers with the same engine share connections, credential and health.
    /// From any thread.
    var engine: ObjectIdentifier { get }
    /// The reasons of rejections that the provider documents, each once. From any thread.
    var reasons: [String] { get }
    /// The most bytes of content that it can send there, as `contentSize` counts them. From any thread.
    func contentLimit(_ destination: Intent.Destination) -> Int
    /// How many bytes this payload has by the provider's own count, with the channel that its devices are to follow if
    /// they are. From any thread.
    func contentSize(of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?) -> Int

    /// What all pushes of a broadcast share; nil when no push can carry it. From any thread.
    func render(_ intent: Intent) -> (any RenderedPush)?

    /// Takes pushes, from the first on, as many as there is room for. The receiver is not called before this returns.
    /// - Parameters:
    ///   - batch: never empty. The bytes of their addresses are copied. One that cannot be sent is taken, and ends as
    ///     unsendable.
    ///   - rendered: made by `render` of this provider.
    ///   - receiver: it hears once of each push that is taken, and nothing of the others.
    /// - Returns: how many were taken.
    func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int

    /// The receiver's pushes that are not on their way yet are not sent any more: they end as `unsent(.shutDown)`, when
    /// their turn comes.
    func withdraw(_ receiver: any PushOutcomeReceiver)
    /// Cancels the receiver's pushes that have had no answer. They end as `unsent(.timedOut)`, as at their deadline.
    func cancelUnanswered(_ receiver: any PushOutcomeReceiver)

    /// How many more pushes are taken now. While paused 1 when a probe is due, and 0 otherwise.
    var room: Int { get }
    /// How many of them would be on their way at once.
    var streamRoom: Int { get }
    /// How many pushes may be on their way by what the provider has shown that it answers: at most so many on each
    /// connection.
    func provenRoom(ofEach limit: Int) -> Int

    /// Whether the provider takes pushes.
    var health: ProviderHealth { get }
    /// Whether this gateway can push, as far as it knows.
    var ability: PushAbility { get }
    /// When the provider has last served a push; nil before that, and since a pause began.
    var lastServed: MonotonicTime? { get }

    /// Asked before anything is sent: false keeps all pushes waiting. Call `turnWanted` when that has changed. One for
    /// each engine.
    var maySend: (MonotonicTime) -> Bool { get set }
    /// Has waiting pushes looked at again.
    func turnWanted()
    /// Tell this when pushes have come to wait.
    func workCame()
    /// Finds out by a push that is nobody's whether pushes can be sent; in a pause sooner than it would be tried
    /// otherwise.
    func probe()

    /// Has `listener` told of room and health, until it is removed.
    func add(_ listener: any RoomListener)
    func remove(_ listener: any RoomListener)
}

extension PushProvider {
    /// What there is to tell other gateways.
    public func report(now: MonotonicTime) -> PushReport {
        guard case .paused(let reason, let since) = health else {
            return PushReport(ability, age: lastServed.map { now - $0 })
        }
        return PushReport(ability, age: now - since, isMisconfigured: reason.kind.isConfiguration)
    }

    /// The payload's own bytes.
    public func contentSize(
        of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?
    ) -> Int { payload.length }
}
