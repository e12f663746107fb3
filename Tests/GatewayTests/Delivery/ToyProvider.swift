import Delivery
import LiveActivity
import Reactor
import TimeCore

/// A provider without APNs or HTTP/2. It takes titles, answers in the reactor's next turn, and rejects some pushes.
final class ToyProvider: PushProvider, @unchecked Sendable {
    /// A push that it has received.
    struct Delivery: Equatable, Sendable {
        let event: PushEvent
        let token: [UInt8]
        let title: String?
        /// The channel; nil for a push to a device.
        var channel: String?
        let isAccepted: Bool
    }

    final class ToyPush: RenderedPush, @unchecked Sendable {
        let event: PushEvent
        let title: String?
        let destination: Intent.Destination
        var notAfter: MonotonicTime?

        init(_ event: PushEvent, _ title: String?, _ destination: Intent.Destination) {
            self.event = event
            self.title = title
            self.destination = destination
        }
    }

    static let unknownAddress = "NobodyLivesHere"
    static let busy = "TryTomorrow"

    let identity = ProviderIdentity(ProviderAccount(("toy", "box")), authority: "toys.example:1")
    let reasons = [ToyProvider.unknownAddress, ToyProvider.busy]
    func contentLimit(_ destination: Intent.Destination) -> Int { 1_000 }
    let ledger = Locked<[Delivery]>([])
    var maySend: (MonotonicTime) -> Bool = { _ in true }
    private(set) var health = ProviderHealth.healthy
    private let reactor: Reactor
    private var listeners: [any RoomListener] = []
    private var taken: [(push: ToyPush, tag: UInt64, slot: UInt32, token: [UInt8], receiver: any PushOutcomeReceiver)] =
        []
    private var requests = 0
    /// The reported age of pushes. Set it before the first push.
    nonisolated(unsafe) var sentAgo: TimeInterval?
    private static let limit = 50

    init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    var engine: ObjectIdentifier { ObjectIdentifier(self) }
    var room: Int { health.isPaused || !maySend(reactor.now) ? 0 : max(0, Self.limit - taken.count) }
    var streamRoom: Int { room }
    func provenRoom(ofEach limit: Int) -> Int { min(limit, Self.limit) }
    var ability: PushAbility { health.isPaused ? .cannot : .can }
    private(set) var lastServed: MonotonicTime?

    func render(_ intent: Intent) -> (any RenderedPush)? {
        guard let aps = try? JSONDocument(parsing: intent.content).root.member("aps") else { return nil }
        let alert = try? aps.member("alert")
        return ToyPush(intent.event, (try? alert?.member("title"))?.string, intent.destination)
    }

    func push(
        _ batch: UnsafeBufferPointer<PendingPush>, _ rendered: any RenderedPush, to receiver: any PushOutcomeReceiver
    ) -> Int {
        guard let push = rendered as? ToyPush else { return 0 }
        let count = min(room, batch.count)
        for pending in batch.prefix(count) {
            taken.append((push, pending.tag, pending.slot, Array(pending.token), receiver))
        }
        if count > 0 { reactor.execute { self.answer() } }
        return count
    }

    /// Answers the pushes that it has taken. It defers its fifth request, and rejects tokens that end in 9 as unknown.
    private func answer() {
        let answered = taken
        taken = []
        for (push, tag, slot, token, receiver) in answered {
            requests += 1
            lastServed = reactor.now
            let outcome: PushOutcome =
                if requests == 5 {
                    .rejected(Rejection(status: 0, reason: Self.busy, Classification(.later)))
                } else if token.last == 9 {
                    .rejected(
                        Rejection(
                            status: 0, reason: Self.unknownAddress, Classification(.addressDead, isAboutAddress: true)))
                } else {
                    .accepted
                }
            var delivery = Delivery(
                event: push.event, token: token, title: push.title, isAccepted: outcome == .accepted)
            if case .channel(let channel) = push.destination { delivery.channel = channel }
            ledger.withLock { $0.append(delivery) }
            if outcome == .accepted {
                withUnsafePointer(to: AcceptedPush(tag: tag, slot: slot, source: 0)) {
                    receiver.pushesAccepted(UnsafeBufferPointer(start: $0, count: 1))
                }
            } else {
                [PushResult(tag: tag, slot: slot, outcome: outcome, sentAgo: sentAgo)].withUnsafeBufferPointer {
                    receiver.pushesEnded($0)
                }
            }
        }
        for listener in listeners { listener.roomGrew() }
    }

    /// Pauses the provider until `recover`. Callable from any thread.
    func fallIll() {
        change(.paused(PauseReason(kind: .overloaded, name: "Tantrum", text: "toys are everywhere"), since: .now()))
    }

    func recover() { change(.healthy) }

    private func change(_ health: ProviderHealth) {
        reactor.execute { [self] in
            self.health = health
            for listener in listeners {
                listener.healthChanged()
                listener.roomGrew()
            }
        }
    }

    func withdraw(_ receiver: any PushOutcomeReceiver) {}
    func cancelUnanswered(_ receiver: any PushOutcomeReceiver) {}
    func turnWanted() {}
    func workCame() {}
    func probe() {}
    func add(_ listener: any RoomListener) { listeners.append(listener) }
    func remove(_ listener: any RoomListener) { listeners.removeAll { $0 === listener } }
}
