import Foundation

/// What the app has scheduled. A request whose answer was lost is repeated by its key. Where the gateway may have
/// forgotten that, all that waits for the activity is taken back, and what is still wanted is scheduled anew.
struct Schedules: Codable, Equatable, Sendable {
    static let capacityOfActivity = 20
    static let capacity = 200

    struct Item: Codable, Equatable, Sendable {
        var change: ScheduledChange
        let identity: DeviceIdentity
        /// The gateway's id, once it has answered.
        var scheduleID: String?
        /// Whether the app took it back while its request was under way.
        var isCancelled = false
    }

    private(set) var items: [Item] = []

    enum Action: Equatable, Sendable {
        case report(Report, DeviceIdentity)
        case withdraw(ids: Set<String>)
    }

    mutating func add(_ change: ScheduledChange, _ identity: DeviceIdentity) -> Bool {
        let same = items.filter { $0.change.external == change.external && !$0.isCancelled }
        guard same.count < Schedules.capacityOfActivity, items.count < Schedules.capacity else { return false }
        items.append(Item(change: change, identity: identity))
        return true
    }

    /// The app takes back all of an activity, or one.
    mutating func cancel(_ external: ExternalActivity, id: String?, _ identity: DeviceIdentity) -> [Action] {
        let meant = items.filter { $0.change.external == external && (id == nil || $0.change.id == id) }
        let ids = Set(meant.map(\.change.id))
        guard let id else {
            items.removeAll { ids.contains($0.change.id) }
            return [.withdraw(ids: ids), .report(.cancelSchedules(external, scheduleID: nil), identity)]
        }
        guard let item = meant.first else { return [] }
        guard let scheduleID = item.scheduleID else {
            if let index = items.firstIndex(where: { $0.change.id == id }) { items[index].isCancelled = true }
            return [.withdraw(ids: ids)]
        }
        items.removeAll { $0.change.id == id }
        return [.report(.cancelSchedules(external, scheduleID: scheduleID), item.identity)]
    }

    /// The gateway has made a schedule.
    /// - Parameter isLate: whether its time may be much later than the app wants: then it is made anew.
    mutating func scheduled(_ id: String, as scheduleID: String, isLate: Bool) -> [Action] {
        guard let index = items.firstIndex(where: { $0.change.id == id }) else { return [] }
        let item = items[index]
        guard item.isCancelled || isLate else {
            items[index].scheduleID = scheduleID
            return []
        }
        let cancel = Action.report(.cancelSchedules(item.change.external, scheduleID: scheduleID), item.identity)
        if !item.isCancelled { return [cancel, .report(.schedule(item.change), item.identity)] }
        items.remove(at: index)
        return [cancel]
    }

    /// It may have made a schedule, or not, and nobody can say any more.
    mutating func uncertain(_ change: ScheduledChange, _ identity: DeviceIdentity) -> [Action] {
        let external = change.external
        items.removeAll { $0.change.external == external && $0.isCancelled }
        var again = items.filter { $0.change.external == external }
        items.removeAll { $0.change.external == external }
        for index in again.indices { again[index].scheduleID = nil }
        items += again
        return [
            .withdraw(ids: Set(again.map(\.change.id))),
            .report(.cancelSchedules(external, scheduleID: nil), identity),
        ] + again.map { .report(.schedule($0.change), $0.identity) }
    }

    /// The app runs again: nothing was before a clock that was set back.
    mutating func launched(at now: Moment) {
        for index in items.indices { items[index].change = items[index].change.capped(at: now) }
    }

    /// It will not be made.
    mutating func gone(_ id: String) { items.removeAll { $0.change.id == id } }

    /// Forgets what was carried out.
    mutating func passed(at now: Moment) {
        items.removeAll { $0.scheduleID != nil && $0.change.wait.left(at: now) == 0 }
    }
}
