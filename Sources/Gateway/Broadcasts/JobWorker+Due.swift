import GatewayStore
import LiveActivity
import Reactor
import ShareCore
import TimeCore

/// What happens at a time rather than at somebody's word: the ends of activities, schedules, and healing.
extension JobWorker {
    /// How many more items can be carried out here. None while as many broadcasts are under way as there may be, as long as
    /// it is not certain what time it is, or while others can push and this gateway cannot.
    var roomForDue: Int {
        guard store.clockState() == .trusted, !hasLetGo else { return 0 }
        guard countBusy() < settings.maximumBroadcasts else { return 0 }
        return max(0, JobWorker.dueAtOnce - dueUnderWay.count)
    }

    private static let dueAtOnce = 32
    /// Items that are taken from one shard in a look; the shards are asked some at a time.
    static let dueInLook = 4

    /// Healing may read long rosters, so that few activities are healed at a time.
    private static let healingsAtOnce = 4

    /// An erasure may walk all topics and segments of its tenant. Tenants share these.
    private static let erasureRule = ShareRule(capacity: 8)

    /// Whether an item is carried out beside those under way.
    static func hasRoom(for item: DueItem, among dueUnderWay: Set<DueItem>) -> Bool {
        switch item {
        case .healing:
            let others = dueUnderWay.count { if case .healing = $0 { true } else { false } }
            return others < healingsAtOnce
        case .erasure(let erasure):
            let tenants = dueUnderWay.compactMap { if case .erasure(let other) = $0 { other.tenantID } else { nil } }
            return erasureRule.gives(
                1, toHolderOf: tenants.count { $0 == erasure.tenantID }, used: tenants.count)
        default: return true
        }
    }

    /// Sees to a topic now, rather than with the next look. From any thread.
    public func seeTo(_ topic: TopicID) {
        reactor.execute { if !self.hasLetGo, self.store.clockState() == .trusted { self.carryOut([.topic(topic)]) } }
    }

    /// Goes on with the erasure of a device that makes way for another one, while that one's report waits. The ends of Live
    /// Activities come behind it.
    func goOn(with erasure: Erasure) async {
        _ = try? await BroadcastService(store: store, jobs: self).erase(erasure, patience: .zero)
    }

    /// Carries out what was taken. What fails is given out again by the store after a while.
    func carryOut(_ items: [DueItem]) {
        guard !items.isEmpty else { return }
        let service = BroadcastService(store: store, jobs: self)
        for item in items where JobWorker.hasRoom(for: item, among: dueUnderWay) && dueUnderWay.insert(item).inserted {
            ask { () throws(StoreError) in
                switch item {
                case .activity(let id): try await service.endByItself(id, item)
                case .healing(let id): try await service.heal(id, item)
                case .topic(let id): try await service.drive(id)
                case .erasure(let erasure): try await service.erase(erasure)
                case .schedule(let id, let activity): try await service.carryOutSchedule(id, in: activity, item)
                }
            } then: { [weak self] _ in
                self?.dueUnderWay.remove(item)
            }
        }
    }
}
