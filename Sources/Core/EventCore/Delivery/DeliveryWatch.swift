public import TimeCore

/// Which tenants a gateway looks at, tick by tick, for events to deliver. Most are quiet: nothing waited for their
/// webhooks when they were looked at last. These are left alone until something is due, until there is news of them,
/// and for one sweep at the longest, as news may be lost. Pure.
public struct DeliveryWatch: Sendable {
    /// What a look at a tenant comes to.
    public enum Finding: Equatable, Sendable {
        /// Something is due, and is this gateway's to deliver.
        case due
        /// Another gateway delivers what is due.
        case elsewhere
        /// Nothing is due before this; nil while nothing waits.
        case quiet(next: WallTime?)
    }

    private struct Tenant {
        let place: Int
        /// Nil for one of whom nothing is known.
        var finding: Finding?
        var isStirred = false
    }

    /// In so many ticks those are looked at once whose events another gateway delivers: it may be gone.
    private static let ticksForOthers = 4
    private let ticksForQuiet: Int
    private var tenants: [String: Tenant] = [:]

    /// With no tenants.
    /// - Parameter ticksForQuiet: in so many ticks those are looked at once who are quiet.
    public init(ticksForQuiet: Int) {
        self.ticksForQuiet = ticksForQuiet
    }

    /// Who has webhooks. Whoever was not known is looked at at the next tick.
    /// - Parameter place: that of the news of a tenant.
    public mutating func known(_ names: some Sequence<String>, place: (String) -> Int) {
        let before = tenants
        tenants = [:]
        for name in names { tenants[name] = before[name] ?? Tenant(place: place(name)) }
    }

    /// There is news of the tenants who have a place among these.
    public mutating func heard(of places: [Int]) {
        guard !places.isEmpty else { return }
        let places = Set(places)
        for (name, tenant) in tenants where places.contains(tenant.place) { tenants[name]?.isStirred = true }
    }

    /// Who is to be looked at.
    /// - Parameters:
    ///   - number: of the tick. Those who are looked at now and then are so at different ones.
    ///   - hearsNews: false when there is none that could be relied on.
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

    /// - Parameter finding: nil when the store has not answered.
    public mutating func looked(_ name: String, _ finding: Finding?) {
        tenants[name]?.finding = finding
    }
}
