public import TimeCore

/// Selects the tenants that a gateway checks at each tick for events to deliver. Most tenants are quiet: their last
/// check found no waiting event. A quiet tenant is checked again when an event is due or news arrives. Because news may
/// be lost, each sweep checks all tenants. Pure.
public struct DeliveryWatch: Sendable {
    /// The result of checking a tenant.
    public enum Finding: Equatable, Sendable {
        /// An event is due, and this gateway delivers it.
        case due
        /// An event is due, and another gateway delivers it.
        case elsewhere
        /// No event is due before `next`; nil if no event waits.
        case quiet(next: WallTime?)
    }

    private struct Tenant {
        let place: Int
        /// Nil for a tenant that has not been checked.
        var finding: Finding?
        var isStirred = false
    }

    /// The period, in ticks, of checking tenants whose events another gateway delivers. That gateway may have failed.
    private static let ticksForOthers = 4
    private let ticksForQuiet: Int
    private var tenants: [String: Tenant] = [:]

    /// Creates a watch without tenants.
    /// - Parameter ticksForQuiet: The period, in ticks, of checking quiet tenants.
    public init(ticksForQuiet: Int) {
        self.ticksForQuiet = ticksForQuiet
    }

    /// Sets the tenants that have webhooks. New tenants are checked at the next tick.
    /// - Parameter place: Returns the place of a tenant's news.
    public mutating func known(_ names: some Sequence<String>, place: (String) -> Int) {
        let before = tenants
        tenants = [:]
        for name in names { tenants[name] = before[name] ?? Tenant(place: place(name)) }
    }

    /// Records news for the tenants with one of these places.
    public mutating func heard(of places: [Int]) {
        guard !places.isEmpty else { return }
        let places = Set(places)
        for (name, tenant) in tenants where places.contains(tenant.place) { tenants[name]?.isStirred = true }
    }

    /// Returns the tenants to check.
    /// - Parameters:
    ///   - number: The tick's number. It spreads periodic checks over the ticks.
    ///   - hearsNews: False if news is unreliable.
    public mutating func wanted(_ number: Int, now: WallTime, hearsNews: Bool) -> [String] {
        var looks: [String] = []
        for (name, tenant) in tenants {
            func isTick(_ period: Int) -> Bool { (number + tenant.place) % period == 0 }
            let isWanted =
                switch tenant.finding {
                case nil, .due: true
                case .elsewhere: isTick(DeliveryWatch.ticksForOthers)
                case .quiet(let next):
                    next.map { $0 <= now } == true
                        || isTick(hearsNews ? ticksForQuiet : DeliveryWatch.ticksForOthers)
                }
            guard isWanted || tenant.isStirred else { continue }
            tenants[name]?.isStirred = false
            looks.append(name)
        }
        return looks
    }

    /// - Parameter finding: The result of the check; nil if the store did not answer.
    public mutating func looked(_ name: String, _ finding: Finding?) {
        tenants[name]?.finding = finding
    }
}
