import ShareCore

/// Which names of receivers are looked up when. A look-up keeps a thread for as long as name servers do not answer, so
/// there are few at once, and of a tenant fewer still: one whose name servers are slow holds up nobody else.
///
/// One look-up of a name answers all who ask for it meanwhile. What waits is bounded by whoever asks.
public struct LookupQueue: Sendable {
    /// Look-ups under way at once.
    public static let capacity = 32
    /// Of one tenant.
    public static let ofTenant = 2

    private struct Running {
        /// Whose share it has.
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

    /// Names that are being looked up.
    public var underWay: Int { running.count }

    /// Those who wait for a look-up to begin.
    public var waiting: Int { queue.count }

    /// Somebody wants to know a name's addresses.
    /// - Parameter ticket: never used before.
    /// - Returns: whether the look-up begins now.
    public mutating func asked(_ ticket: UInt64, _ name: String, by tenantID: String) -> Bool {
        let asker = Waiting(ticket: ticket, name: name, tenantID: tenantID)
        if let isNew = admit(asker) { return isNew }
        queue.append(asker)
        return false
    }

    /// A look-up has ended.
    /// - Returns: who is told, and the names whose look-ups begin now.
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

    /// Somebody waits no more. What is under way goes on: it cannot be broken off.
    /// - Returns: whether the look-up had begun.
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

    /// Whether a look-up begins for somebody who joins those of the name; nil when there is no place.
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
