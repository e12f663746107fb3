import Foundation

/// The app's schedules. A request whose answer was lost is repeated with its idempotency key. If the gateway may have
/// forgotten the key, all schedules of the activity are cancelled, and the wanted ones are created again.
struct Schedules: Codable, Equatable, Sendable {
    static let capacityOfActivity = 20
    static let capacity = 200

    struct Item: Codable, Equatable, Sendable {
        var change: ScheduledChange
        let identity: DeviceIdentity
        /// The gateway's id, known after its answer.
        var scheduleID: String?
        /// True if the app cancelled the schedule before the gateway's id was known.
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

    /// Cancels one schedule of an activity, or all.
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

    /// Records the gateway's id of a schedule.
    /// - Parameter isLate: True if the schedule may be due much later than requested. It is then created again.
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

    /// Handles a schedule whose result can no longer be determined.
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

    /// Handles a launch. If the clock was set back, no time stays in the future.
    mutating func launched(at now: Moment) {
        for index in items.indices { items[index].change = items[index].change.capped(at: now) }
    }

    /// Forgets a schedule that will not be created.
    mutating func gone(_ id: String) { items.removeAll { $0.change.id == id } }

    /// Forgets the executed schedules.
    mutating func passed(at now: Moment) {
        items.removeAll { $0.scheduleID != nil && $0.change.wait.left(at: now) == 0 }
    }
}
