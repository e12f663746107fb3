import ShareCore

/// Schedules DNS look-ups of receivers. A look-up blocks a thread until name servers answer, so concurrency is limited.
/// A lower limit for each tenant keeps slow name servers from delaying other tenants.
///
/// One look-up answers all requests for its name. Callers bound the queue.
public struct LookupQueue: Sendable {
    /// The maximum number of concurrent look-ups.
    public static let capacity = 32
    /// The maximum number of concurrent look-ups of a tenant.
    public static let ofTenant = 2

    private struct Running {
        /// The tenant whose share the look-up uses.
        let tenantID: String
        var tickets: [UInt64]
    }

    private struct Waiting {
        let ticket: UInt64
        let name: String
        let tenantID: String
    }

    private var shares = FairShares<String>(ShareRule(capacity: LookupQueue.capacity))
    private var running: [String: Running] = [:]
    /// The oldest first.
    private var queue: [Waiting] = []

    public init() {}

    /// The number of look-ups in progress.
    public var underWay: Int { running.count }

    /// The number of requests that wait for a look-up to begin.
    public var waiting: Int { queue.count }

    /// Adds a request for a name's addresses.
    /// - Parameter ticket: A number that was never used before.
    /// - Returns: True if the look-up begins now.
    public mutating func asked(_ ticket: UInt64, _ name: String, by tenantID: String) -> Bool {
        let asker = Waiting(ticket: ticket, name: name, tenantID: tenantID)
        if let isNew = admit(asker) { return isNew }
        queue.append(asker)
        return false
    }

    /// Ends a look-up.
    /// - Returns: The tickets to notify, and the names whose look-ups begin now.
    public mutating func ended(_ name: String) -> (told: [UInt64], begin: [String]) {
        guard let over = running.removeValue(forKey: name) else { return ([], []) }
        shares.gaveBack(1, by: over.tenantID)
        let told = over.tickets + queue.filter { $0.name == name }.map(\.ticket)
        var begin: [String] = []
        let waiting = queue
        queue = []
        for asker in waiting where asker.name != name {
            guard let isNew = admit(asker) else {
                queue.append(asker)
                continue
            }
            if isNew { begin.append(asker.name) }
        }
        return (told, begin)
    }

    /// Withdraws a request. A look-up in progress continues, because it cannot be cancelled.
    /// - Returns: True if the look-up had begun.
    public mutating func gaveUp(_ ticket: UInt64) -> Bool {
        if let index = queue.firstIndex(where: { $0.ticket == ticket }) {
            queue.remove(at: index)
            return false
        }
        for (name, look) in running where look.tickets.contains(ticket) {
            running[name]?.tickets.removeAll { $0 == ticket }
        }
        return true
    }

    /// Starts or joins a look-up: true for a start, false for a join, and nil if no slot is free.
    private mutating func admit(_ asker: Waiting) -> Bool? {
        if running[asker.name] != nil {
            running[asker.name]?.tickets.append(asker.ticket)
            return false
        }
        guard shares.held(by: asker.tenantID) < LookupQueue.ofTenant, shares.take(1, for: asker.tenantID) else {
            return nil
        }
        running[asker.name] = Running(tenantID: asker.tenantID, tickets: [asker.ticket])
        return true
    }
}
