import Foundation

/// What the app has scheduled. Each call to the gateway makes a schedule, so one whose answer was lost is never just
/// repeated: all that waits for the activity is taken back, and what is still wanted is scheduled anew.
struct Schedules: Codable, Equatable, Sendable {
    static let capacityOfActivity = 20
    static let capacity = 200

    struct Item: Codable, Equatable, Sendable {
        let change: ScheduledChange
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
    mutating func scheduled(_ id: String, as scheduleID: String) -> [Action] {
        guard let index = items.firstIndex(where: { $0.change.id == id }) else { return [] }
        let item = items[index]
        guard item.isCancelled else {
            items[index].scheduleID = scheduleID
            return []
        }
        items.remove(at: index)
        return [.report(.cancelSchedules(item.change.external, scheduleID: scheduleID), item.identity)]
    }

    /// The request had no answer: it may have made a schedule, or not.
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

    /// It will not be made.
    mutating func gone(_ id: String) { items.removeAll { $0.change.id == id } }

    /// Forgets what was carried out.
    mutating func passed(at now: Moment) {
        items.removeAll { $0.scheduleID != nil && $0.change.wait.left(at: now) == 0 }
    }
}
