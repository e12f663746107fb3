public import TimeCore

/// Selects the tenants that a gateway checks at each tick for events to deliver. Most tenants are quiet: their last
/// check found no due work. A quiet tenant is checked again when work is due or news arrives. Because news may be lost,
/// each is also checked once a period. Pure.
public struct DeliveryWatch: Sendable {
    /// The result of checking a tenant.
    public enum Finding: Equatable, Sendable {
        /// Work is due, and this gateway does it.
        case due
        /// Another gateway holds the lease on the tenant's deliveries.
        case elsewhere
        /// No work is due before `next`; nil for never.
        case quiet(next: WallTime?)
    }

    private struct Tenant {
        let place: Int
        /// Nil for a tenant that has not been checked.
        var finding: Finding?
        var isStirred = false
    }

    /// The period, in ticks, of checking tenants whose lease another gateway holds. That gateway may have failed.
    /// Without news it is also the period of quiet tenants.
    private static let ticksForOthers = 4
    private let ticksForQuiet: Int
    private var tenants: [String: Tenant] = [:]

    /// Creates a watch without tenants.
    /// - Parameter ticksForQuiet: The period, in ticks, of checking quiet tenants.
    public init(ticksForQuiet: Int) {
        self.ticksForQuiet = ticksForQuiet
    }

    /// Sets the tenants that have webhooks. New tenants are checked at the next tick.
    /// - Parameter place: Returns the place of a tenant's news, which tenants may share.
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
    ///   - hearsNews: False if the read failed.
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

    /// - Parameter finding: The result of the check; nil if it failed.
    public mutating func looked(_ name: String, _ finding: Finding?) {
        tenants[name]?.finding = finding
    }
}
