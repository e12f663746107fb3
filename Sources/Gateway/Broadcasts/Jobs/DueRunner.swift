import GatewayStore
import LiveActivity
import Reactor
import ShareCore
import TimeCore

/// Carries out work that is due at a time: the ends of activities, schedules, healing, topics and erasures. On the
/// reactor.
final class DueRunner {
    private let context: JobContext
    private let health: PeerHealth
    /// Due items that are being carried out.
    private var underWay: Set<DueItem> = []
    /// Makes the service that carries the items out. Set once.
    weak var jobs: JobWorker?

    init(_ context: JobContext, _ health: PeerHealth) {
        self.context = context
        self.health = health
    }

    var isIdle: Bool { underWay.isEmpty }

    /// The number of items that this gateway can carry out beside those under way. It is 0 at the limit of broadcasts,
    /// without a certain time, and if only other gateways can push.
    private var room: Int {
        guard context.store.mayCarryOutWhatIsDue, !health.hasLetGo else { return 0 }
        guard context.unfinished.busy < context.settings.maximumBroadcasts else { return 0 }
        return max(0, DueRunner.dueAtOnce - underWay.count)
    }

    /// The items that one poll of a shard may take, and the tenants whose items have no room here.
    func roomInLook(_ shard: Int) -> DueRoom {
        let (most, schedules) = DueRunner.itemsInLook(shard, among: underWay)
        let items = min(room, most)
        guard items > 0 else { return .none }
        let (isFull, fullTenants) = DueRunner.fullTenants(among: underWay)
        return DueRoom(
            items: items, schedules: schedules, erasuresOfTenant: isFull ? 0 : 1,
            fullOfErasures: fullTenants,
            fullOfBroadcasts: context.unfinished.fullTenants)
    }

    /// Drives a topic now, before the next poll.
    func drive(_ topic: TopicID) {
        if !health.hasLetGo, context.store.mayCarryOutWhatIsDue { carryOut([.topic(topic)]) }
    }

    /// Carries out what was taken. What fails is given out again by the store after a while, what finds no room very
    /// soon.
    func carryOut(_ items: [DueItem], takenUntil: WallTime? = nil) {
        guard !items.isEmpty, let jobs else { return }
        let service = BroadcastService(store: context.store, jobs: jobs)
        var (erasures, others): ([DueItem], [DueItem]) = ([], [])
        var schedules: [DueItem] = []
        for item in items where !underWay.contains(item) {
            guard DueRunner.hasRoom(for: item, among: underWay) else {
                if case .erasure = item { erasures.append(item) } else { others.append(item) }
                continue
            }
            underWay.insert(item)
            if case .schedule = item { schedules.append(item) } else { carryOutInTurn([item], service) }
        }
        carryOutInTurn(schedules, service)
        guard let takenUntil else { return }
        giveBack(erasures, takenUntil, after: pause(DueRunner.erasurePause))
        giveBack(others, takenUntil, after: pause(DueRunner.healingPause))
    }

    /// Carries out items one after the other. An item that fails does not hold up the next one.
    private func carryOutInTurn(_ items: [DueItem], _ service: BroadcastService) {
        guard !items.isEmpty else { return }
        context.ask { () throws(StoreError) in
            for item in items {
                do throws(StoreError) { try await service.carryOut(item) } catch {}
            }
        } then: { [weak self] _ in
            self?.underWay.subtract(items)
        }
    }

    private func giveBack(_ items: [DueItem], _ takenUntil: WallTime, after pause: TimeInterval) {
        guard !items.isEmpty else { return }
        context.ask { [store = context.store] () throws(StoreError) in
            try await store.due.giveBack(items, takenUntil: takenUntil, after: pause)
        } then: { _ in
        }
    }

    /// The pause before an erasure without room is taken again. Most are closing looks of a few milliseconds.
    private static let erasurePause = TimeInterval.milliseconds(100)
    /// The pause before healing without room is taken again. Healing is not urgent.
    private static let healingPause = TimeInterval.seconds(1)

    /// Between once and twice as long, so that what is given back together does not come back together.
    private func pause(_ least: TimeInterval) -> TimeInterval {
        .milliseconds(Int(Double(least.millisecondsRoundedUp) * (1 + context.random())))
    }

    // MARK: Shares

    private static let dueAtOnce = 32
    /// Items that are taken from one shard in a look; the shards are asked some at a time.
    static let dueInLook = 4

    /// Healing may read long rosters, so that few activities are healed at a time.
    private static let healingsAtOnce = 4

    /// An erasure may walk all topics and segments of its tenant. Tenants share these.
    private static let erasureRule = ShareRule(capacity: 8)

    /// True if an item can be carried out beside those under way.
    static func hasRoom(for item: DueItem, among dueUnderWay: Set<DueItem>) -> Bool {
        switch item {
        case .healing:
            let others = dueUnderWay.count { if case .healing = $0 { true } else { false } }
            return others < healingsAtOnce
        case .erasure(let erasure):
            let tenants = dueUnderWay.compactMap {
                if case .erasure(let other) = $0 { other.tenantID } else { nil }
            }
            return erasureRule.gives(
                1, toHolderOf: tenants.count { $0 == erasure.tenantID }, used: tenants.count)
        default: return true
        }
    }

    /// Shards share the items under way, because a shard with many due items is polled whenever one of its items ends.
    private static let shardRule = ShareRule(capacity: dueAtOnce, quantum: dueInLook)

    /// Many schedules are due at the same second. They are few, because they queue at the store before the calls of all
    /// tenants. Those of one poll are carried out one after the other.
    private static let scheduleRule = ShareRule(capacity: 5)

    /// The number of items that one poll of a shard may take, and the number of schedules among them.
    static func itemsInLook(_ shard: Int, among dueUnderWay: Set<DueItem>) -> (
        items: Int, schedules: Int
    ) {
        func most(_ rule: ShareRule, _ isCounted: (DueItem) -> Bool) -> Int {
            let used = dueUnderWay.count(where: isCounted)
            let held = dueUnderWay.count { $0.shard == shard && isCounted($0) }
            return (0...dueInLook).last { rule.gives($0, toHolderOf: held, used: used) } ?? 0
        }
        return (
            most(shardRule) { _ in true },
            most(scheduleRule) { if case .schedule = $0 { true } else { false } }
        )
    }

    /// The tenants without room for another erasure. `isEverybody` is true if no tenant has room.
    static func fullTenants(among dueUnderWay: Set<DueItem>) -> (isEverybody: Bool, tenants: [String]) {
        var held: [String: Int] = [:]
        for case .erasure(let erasure) in dueUnderWay { held[erasure.tenantID, default: 0] += 1 }
        let used = held.values.reduce(0, +)
        let full = held.filter { !erasureRule.gives(1, toHolderOf: $0.value, used: used) }.keys
        return (!erasureRule.gives(1, toHolderOf: 0, used: used), full.sorted())
    }
}

extension BroadcastService {
    fileprivate func carryOut(_ item: DueItem) async throws(StoreError) {
        switch item {
        case .activity(let id): try await endByItself(id, item)
        case .healing(let id): try await heal(id, item)
        case .topic(let id): try await TopicDriver(self).drive(id)
        case .erasure(let erasure): try await erase(erasure)
        case .schedule(let id, let activity): try await ScheduleRunner(self).carryOut(id, in: activity, item)
        }
    }
}
