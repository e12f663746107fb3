/// The connections of one event loop. When the table is full, it selects a connection to evict for a new one.
///
/// Resting connections are evicted first: idle between requests, or without a whole head so far. Receiving connections
/// follow. Connections that wait for the gateway's answer are never evicted. Within a phase, connections of trusted
/// proxies come last, because they serve many clients. The address with the most connections of a kind loses the one
/// that has been in its phase longest. Each step takes constant time.
public struct ConnectionTable: Sendable {
    /// A connection's place, until it is closed.
    public struct Place: Hashable, Sendable {
        let index: Int
    }

    /// The activity of a connection.
    public enum Phase: Sendable {
        /// No request is under way.
        case resting
        /// A request's body is arriving.
        case receiving
        /// A complete request is being answered.
        case answering
    }

    /// The decision about a new connection.
    public enum Opening: Equatable, Sendable {
        /// The new connection is accepted, and the other one must be closed.
        case accepted(Place, makingWay: Place?)
        /// No connection can be evicted.
        case refused
    }

    let maximum: Int
    /// The number of open connections, without evicted ones.
    public private(set) var count = 0
    private var connections: [Connection] = []
    private var freeConnections: [Int] = []
    private var addresses: [Address] = []
    private var freeAddresses: [Int] = []
    private var places: [AddressGroup: Int] = [:]
    // One for each address and kind.
    private var queues: [Queue] = []
    /// An address's neighbours in the row of addresses with an equal number of connections of a kind.
    private var ranks: [Link] = []
    private var rankings = [Ranking](repeating: Ranking(), count: ConnectionTable.kinds)

    /// - Parameter maximum: The maximum number of connections.
    public init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    /// Adds a connection, which rests.
    /// - Parameter isProxy: True if it comes from a trusted proxy.
    public mutating func opened(_ group: AddressGroup, isProxy: Bool = false) -> Opening {
        var leaving: Place?
        if count >= maximum {
            guard let chosen = makeWay() else { return .refused }
            leaving = chosen
        }
        let place = freeConnections.popLast() ?? connections.count
        let connection = Connection(address: enter(group), isProxy: isProxy)
        if place == connections.count { connections.append(connection) } else { connections[place] = connection }
        count += 1
        enqueue(place, .resting)
        return .accepted(Place(index: place), makingWay: leaving)
    }

    /// Evicts a connection although the table has room. Returns nil if no connection can be evicted.
    public mutating func makeWay() -> Place? {
        for kind in rankings.indices {
            guard let address = rankings[kind].first else { continue }
            return evict(queues[cell(address, kind)].first)
        }
        return nil
    }

    /// Evicts an address's longest-idle connection. Returns nil if none rests. Connections of trusted proxies stay,
    /// because they belong to many clients.
    public mutating func makeWay(of group: AddressGroup) -> Place? {
        guard let address = places[group] else { return nil }
        let place = queues[cell(address, ConnectionTable.restingKind)].first
        return place == Link.none ? nil : evict(place)
    }

    private mutating func evict(_ place: Int) -> Place {
        dequeue(place)
        connections[place].isLeaving = true
        count -= 1
        return Place(index: place)
    }

    /// Records a connection's new phase.
    public mutating func changed(_ place: Place, to phase: Phase) {
        guard !connections[place.index].isLeaving else { return }
        dequeue(place.index)
        enqueue(place.index, phase)
    }

    /// Records the client's address from a proxy header. The connection rests.
    public mutating func readdressed(_ place: Place, _ group: AddressGroup, isProxy: Bool = false) {
        guard !connections[place.index].isLeaving else { return }
        dequeue(place.index)
        leave(connections[place.index].address)
        connections[place.index].address = enter(group)
        connections[place.index].isProxy = isProxy
        enqueue(place.index, .resting)
    }

    /// Removes a closed connection and frees its place.
    public mutating func closed(_ place: Place) {
        if !connections[place.index].isLeaving {
            dequeue(place.index)
            count -= 1
        }
        leave(connections[place.index].address)
        freeConnections.append(place.index)
    }

    // MARK: Addresses

    private mutating func enter(_ group: AddressGroup) -> Int {
        if let place = places[group] {
            addresses[place].connections += 1
            return place
        }
        let place = freeAddresses.popLast() ?? addresses.count
        let address = Address(group)
        if place == addresses.count {
            addresses.append(address)
            queues += [Queue](repeating: Queue(), count: ConnectionTable.kinds)
            ranks += [Link](repeating: Link(), count: ConnectionTable.kinds)
        } else {
            addresses[place] = address
        }
        places[group] = place
        return place
    }

    private mutating func leave(_ place: Int) {
        addresses[place].connections -= 1
        guard addresses[place].connections == 0 else { return }
        places[addresses[place].group] = nil
        freeAddresses.append(place)
    }

    // MARK: Queues

    /// The number of kinds, in the order of eviction.
    private static let kinds = 4
    /// The kind of resting connections from no proxy.
    private static let restingKind = 0

    private func cell(_ address: Int, _ kind: Int) -> Int { address * ConnectionTable.kinds + kind }

    private func kind(_ place: Int, _ phase: Phase) -> Int? {
        let proxy = connections[place].isProxy ? 1 : 0
        return switch phase {
        case .resting: ConnectionTable.restingKind + proxy
        case .receiving: 2 + proxy
        case .answering: nil
        }
    }

    private mutating func enqueue(_ place: Int, _ phase: Phase) {
        let kind = kind(place, phase)
        connections[place].kind = kind
        guard let kind else { return }
        let address = connections[place].address
        let last = queues[cell(address, kind)].last
        connections[place].previous = last
        connections[place].next = Link.none
        if last == Link.none {
            queues[cell(address, kind)].first = place
        } else {
            connections[last].next = place
        }
        queues[cell(address, kind)].last = place
        rank(address, kind, by: 1)
    }

    private mutating func dequeue(_ place: Int) {
        guard let kind = connections[place].kind else { return }
        connections[place].kind = nil
        let connection = connections[place]
        if connection.previous == Link.none {
            queues[cell(connection.address, kind)].first = connection.next
        } else {
            connections[connection.previous].next = connection.next
        }
        if connection.next == Link.none {
            queues[cell(connection.address, kind)].last = connection.previous
        } else {
            connections[connection.next].previous = connection.previous
        }
        rank(connection.address, kind, by: -1)
    }

    // MARK: Ranks

    /// Adds or removes one connection of a kind. The address moves to the end of the row with its new count.
    private mutating func rank(_ address: Int, _ kind: Int, by step: Int) {
        let old = queues[cell(address, kind)].count
        let new = old + step
        queues[cell(address, kind)].count = new
        if old > 0 {
            let links = ranks[cell(address, kind)]
            if links.previous == Link.none {
                rankings[kind].rows[old].first = links.next
            } else {
                ranks[cell(links.previous, kind)].next = links.next
            }
            if links.next == Link.none {
                rankings[kind].rows[old].last = links.previous
            } else {
                ranks[cell(links.next, kind)].previous = links.previous
            }
        }
        if new > 0 {
            if rankings[kind].rows.count == new { rankings[kind].rows.append(Row()) }
            let last = rankings[kind].rows[new].last
            ranks[cell(address, kind)] = Link(previous: last, next: Link.none)
            if last == Link.none {
                rankings[kind].rows[new].first = address
            } else {
                ranks[cell(last, kind)].next = address
            }
            rankings[kind].rows[new].last = address
        }
        if new > rankings[kind].highest || (old == rankings[kind].highest && rankings[kind].rows[old].isEmpty) {
            rankings[kind].highest = new
        }
    }
}

extension ConnectionTable {
    private struct Link {
        static let none = -1
        var previous = Link.none
        var next = Link.none
    }

    private struct Connection {
        var address: Int
        var isProxy: Bool
        /// Nil while the connection cannot be evicted.
        var kind: Int?
        /// True if the connection is evicted but not closed yet.
        var isLeaving = false
        // The neighbours with the same address and kind, the oldest first.
        var previous = Link.none
        var next = Link.none

        init(address: Int, isProxy: Bool) {
            self.address = address
            self.isProxy = isProxy
        }
    }

    /// The connections of an address and kind.
    private struct Queue {
        var count = 0
        var first = Link.none
        var last = Link.none
    }

    private struct Address {
        let group: AddressGroup
        var connections = 1

        init(_ group: AddressGroup) {
            self.group = group
        }
    }

    /// The addresses with an equal number of connections of a kind.
    private struct Row {
        var first = Link.none
        var last = Link.none
        var isEmpty: Bool { first == Link.none }
    }

    /// The addresses, ordered by their number of connections of a kind.
    private struct Ranking {
        /// The index is the number of connections; index 0 stays empty.
        var rows = [Row()]
        var highest = 0
        /// The address with the most connections. Among equals, the one that has had as many for longest.
        var first: Int? { highest > 0 ? rows[highest].first : nil }
    }
}
