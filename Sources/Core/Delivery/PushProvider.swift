public import LiveActivity
public import TimeCore

/// Sends pushes of one app over one or several kinds of route. Its members belong to its reactor unless they state
/// otherwise.
///
/// Every push that is taken gets exactly one outcome. Pushes and outcomes are passed in batches.
public protocol PushProvider: AnyObject, Sendable {
    /// The credential and address of the provider. From any thread.
    var identity: ProviderIdentity { get }
    /// The engine behind the provider. Providers with the same engine share connections, credential and health. From
    /// any thread.
    var engine: ObjectIdentifier { get }
    /// The rejection reasons that the provider documents, without duplicates. From any thread.
    var reasons: [String] { get }
    /// The maximum bytes of content for a destination, by the count of `contentSize`. From any thread.
    func contentLimit(_ destination: Intent.Destination) -> Int
    /// The bytes of a payload by the provider's count, with the channel if devices are to follow one. From any thread.
    func contentSize(of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?) -> Int

    /// Renders what all pushes of a broadcast share; nil if no push can carry it. From any thread.
    func render(_ intent: Intent) -> (any RenderedPush)?

    /// Takes pushes in order, as many as there is room for. Does not call the receiver before it returns.
    /// - Parameters:
    ///   - batch: Not empty. The bytes of the addresses are copied. A push that cannot be sent is taken, and ends as
    ///     unsendable.
    ///   - rendered: Made by `render` of this provider.
    ///   - receiver: Gets one outcome for each push that is taken.
    /// - Returns: The number of pushes taken.
    func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int

    /// Withdraws the receiver's pushes that are not sent yet. They end as `unsent(.shutDown)` when their turn comes.
    func withdraw(_ receiver: any PushOutcomeReceiver)
    /// Cancels the receiver's pushes without an answer. They end as `unsent(.timedOut)`, as at their deadline.
    func cancelUnanswered(_ receiver: any PushOutcomeReceiver)

    /// The number of further pushes that are taken now. During a pause it is 1 if a probe is due, and 0 otherwise.
    var room: Int { get }
    /// The number of these pushes that would be sent at once.
    var streamRoom: Int { get }
    /// The number of pushes that may be in flight by the proven rate of answers.
    /// - Parameter limit: The maximum for each connection.
    func provenRoom(ofEach limit: Int) -> Int

    /// The state of the provider.
    var health: ProviderHealth { get }
    /// The ability to push, as far as it is known.
    var ability: PushAbility { get }
    /// The time at which the provider last served a push; nil before the first and since a pause began.
    var lastServed: MonotonicTime? { get }

    /// Returns false to keep all pushes waiting, and is called before anything is sent. Call `turnWanted` when its
    /// result changes. Each engine has one.
    var maySend: (MonotonicTime) -> Bool { get set }
    /// Schedules a turn in which waiting pushes are checked again.
    func turnWanted()
    /// Notifies the provider that pushes have started to wait.
    func workCame()
    /// Tests by a push without a device if pushes can be sent. During a pause this is sooner than the next regular
    /// test.
    func probe()

    /// Notifies `listener` of changes in room and health until it is removed.
    func add(_ listener: any RoomListener)
    func remove(_ listener: any RoomListener)
}

extension PushProvider {
    /// The report for other gateways.
    public func report(now: MonotonicTime) -> PushReport {
        guard case .paused(let reason, let since) = health else {
            return PushReport(ability, age: lastServed.map { now - $0 })
        }
        return PushReport(ability, age: now - since, isMisconfigured: reason.kind.isConfiguration)
    }

    /// The payload's own bytes, the default for providers.
    public func contentSize(
        of payload: Payload, _ event: PushEvent, activity: UniqueID, following channel: String?
    ) -> Int { payload.length }
}
