import ConnectionCore
import NIOCore

/// The connections of one event loop. `@unchecked Sendable`: confined to its event loop, which is asserted.
final class LoopConnections: @unchecked Sendable {
    let eventLoop: any EventLoop
    private var table: ConnectionTable
    private var connections: [ConnectionTable.Place: ClientConnection] = [:]

    init(_ eventLoop: any EventLoop, maximum: Int) {
        self.eventLoop = eventLoop
        table = ConnectionTable(maximum: maximum)
    }

    /// Returns the place of a new connection; nil if there is none.
    func open(_ connection: ClientConnection, _ group: AddressGroup, isProxy: Bool) -> ConnectionTable.Place? {
        eventLoop.assertInEventLoop()
        guard case .accepted(let place, let leaving) = table.opened(group, isProxy: isProxy) else { return nil }
        connections[place] = connection
        if let leaving { connections[leaving]?.end(.madeWay) }
        return place
    }

    /// Closes the longest-idle connection of an address, and keeps its share for a new connection.
    /// - Returns: False if none of the address is idle on this event loop.
    func makeRoom(for group: AddressGroup) -> Bool {
        eventLoop.assertInEventLoop()
        guard let place = table.makeWay(of: group), let connection = connections[place] else { return false }
        connection.passShareOn()
        connection.end(.addressLimit)
        return true
    }

    func change(_ place: ConnectionTable.Place, to phase: ConnectionTable.Phase) {
        eventLoop.assertInEventLoop()
        table.changed(place, to: phase)
    }

    func readdress(_ place: ConnectionTable.Place, _ group: AddressGroup, isProxy: Bool) {
        eventLoop.assertInEventLoop()
        table.readdressed(place, group, isProxy: isProxy)
    }

    func close(_ place: ConnectionTable.Place) {
        eventLoop.assertInEventLoop()
        connections[place] = nil
        table.closed(place)
    }

    /// Evicts up to this many idle connections.
    func makeWay(_ count: Int) {
        eventLoop.assertInEventLoop()
        for _ in 0..<count {
            guard let place = table.makeWay() else { return }
            connections[place]?.end(.madeWay)
        }
    }
}
