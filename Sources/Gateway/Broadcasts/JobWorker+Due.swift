import GatewayStore
import LiveActivity
import Reactor
import ShareCore
import TimeCore

/// What happens at a time rather than at somebody's word: the ends of activities, schedules, and healing.
extension JobWorker {
    /// How many more items can be carried out here. None while as many broadcasts are under way as there may be, as
    /// long as it is not certain what time it is, or while others can push and this gateway cannot.
    var roomForDue: Int {
        guard store.mayCarryOutWhatIsDue, !hasLetGo else { return 0 }
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

    /// Shards share the items under way, because a shard with many due items is polled whenever one of its items ends.
    private static let shardRule = ShareRule(capacity: dueAtOnce, quantum: dueInLook)

    /// Many schedules are due at the same second. Those under way queue at the store before everybody's calls, so they
    /// are few. That costs no throughput, because the store runs one script at a time.
    private static let scheduleRule = ShareRule(capacity: 6)

    /// The number of items that one poll of a shard may take, and the number of schedules among them.
    static func itemsInLook(_ shard: Int, among dueUnderWay: Set<DueItem>) -> (items: Int, schedules: Int) {
        func most(_ rule: ShareRule, _ isCounted: (DueItem) -> Bool) -> Int {
            let used = dueUnderWay.count(where: isCounted)
            let held = dueUnderWay.count { $0.shard == shard && isCounted($0) }
            return (0...dueInLook).last { rule.gives($0, toHolderOf: held, used: used) } ?? 0
        }
        return (most(shardRule) { _ in true }, most(scheduleRule) { if case .schedule = $0 { true } else { false } })
    }

    /// The items that one poll of a shard may take, and the tenants whose items have no room here.
    func roomInLook(_ shard: Int) -> DueRoom {
        let (most, schedules) = JobWorker.itemsInLook(shard, among: dueUnderWay)
        let items = min(roomForDue, most)
        guard items > 0 else { return .none }
        let (isFull, fullTenants) = JobWorker.fullTenants(among: dueUnderWay)
        return DueRoom(
            items: items, schedules: schedules, erasuresOfTenant: isFull ? 0 : 1, fullOfErasures: fullTenants,
            fullOfBroadcasts: waitingBroadcasts.fullTenants(weights, resting: restingBroadcasts))
    }

    /// Who has as many erasures under way as there is room for, and whether that is everybody.
    static func fullTenants(among dueUnderWay: Set<DueItem>) -> (isEverybody: Bool, tenants: [String]) {
        var held: [String: Int] = [:]
        for case .erasure(let erasure) in dueUnderWay { held[erasure.tenantID, default: 0] += 1 }
        let used = held.values.reduce(0, +)
        let full = held.filter { !erasureRule.gives(1, toHolderOf: $0.value, used: used) }.keys
        return (!erasureRule.gives(1, toHolderOf: 0, used: used), full.sorted())
    }

    /// After how long an item that found no room may be taken again: an erasure soon, as most are closing looks of a
    /// few milliseconds, while healing is not urgent.
    private static let erasurePause = TimeInterval.milliseconds(100)
    private static let healingPause = TimeInterval.seconds(1)

    /// Between once and twice as long, so that what is given back together does not come back together.
    private func pause(_ least: TimeInterval) -> TimeInterval {
        .milliseconds(Int(Double(least.millisecondsRoundedUp) * (1 + random())))
    }

    /// Sees to a topic now, rather than with the next look. From any thread.
    public func seeTo(_ topic: TopicID) {
        reactor.execute { if !self.hasLetGo, self.store.mayCarryOutWhatIsDue { self.carryOut([.topic(topic)]) } }
    }

    /// Goes on with the erasure of a device that makes way for another one, while that one's report waits. The ends of
    /// Live Activities come behind it.
    func goOn(with erasure: Erasure) async {
        _ = try? await BroadcastService(store: store, jobs: self).erase(erasure, patience: .zero)
    }

    /// Carries out what was taken. What fails is given out again by the store after a while, what finds no room very
    /// soon.
    func carryOut(_ items: [DueItem], takenUntil: WallTime? = nil) {
        guard !items.isEmpty else { return }
        let service = BroadcastService(store: store, jobs: self)
        var (erasures, others): ([DueItem], [DueItem]) = ([], [])
        for item in items where !dueUnderWay.contains(item) {
            guard JobWorker.hasRoom(for: item, among: dueUnderWay) else {
                if case .erasure = item { erasures.append(item) } else { others.append(item) }
                continue
            }
            dueUnderWay.insert(item)
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
        guard let takenUntil else { return }
        giveBack(erasures, takenUntil, after: pause(JobWorker.erasurePause))
        giveBack(others, takenUntil, after: pause(JobWorker.healingPause))
    }

    private func giveBack(_ items: [DueItem], _ takenUntil: WallTime, after pause: TimeInterval) {
        guard !items.isEmpty else { return }
        ask { [store] () throws(StoreError) in
            try await store.due.giveBack(items, takenUntil: takenUntil, after: pause)
        } then: { _ in
        }
    }
}
