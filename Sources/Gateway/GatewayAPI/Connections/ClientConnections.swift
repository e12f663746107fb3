import ConnectionCore
public import NIOCore
import Reactor

/// The connections of clients to a listener: their number, their addresses, and the eviction of idle ones.
///
/// All event loops share the counts by address, which change when connections begin and end. Each event loop evicts
/// among its own connections, an equal part of all, so no request takes a lock. A new connection of an address at its
/// limit evicts the address's longest-idle one, first on the same event loop.
public final class ClientConnections: Sendable {
    /// The limits of connections.
    public let limits: ConnectionLimits
    /// The counters of connections.
    public let metrics = ConnectionMetrics()
    /// The maximum number of open connections.
    public let maximum: Int
    private let maximumPerLoop: Int
    private let counts: Locked<AddressCounts>
    /// The requests in progress that trusted proxies forward, by address.
    private let forwarded: Locked<AddressCounts>
    private let loops = Locked<[ObjectIdentifier: LoopConnections]>([:])

    /// - Parameters:
    ///   - maximum: The maximum number of open connections. It overrides the limits.
    ///   - eventLoops: The number of event loops that share the listener's connections.
    public init(_ limits: ConnectionLimits, maximum: Int, eventLoops: Int) {
        self.limits = limits
        self.maximum = maximum
        maximumPerLoop = max(1, (maximum + eventLoops - 1) / max(1, eventLoops))
        counts = Locked(AddressCounts(maximum: limits.maximumPerAddress))
        forwarded = Locked(AddressCounts(maximum: limits.maximumPerAddress))
    }

    /// The error of a connection for which there is no place.
    public struct NoPlace: Error {}

    /// Admits a new connection, on its event loop. The future fails with `NoPlace` if the connection must be closed. It
    /// waits only while other event loops make room.
    public func open(_ channel: any Channel) -> EventLoopFuture<ClientConnection> {
        let peer = channel.remoteAddress?.number
        let connection = ClientConnection(channel, peer: peer, in: self, on: loop(channel.eventLoop))
        metrics.connectionBegan()
        return connection.begin().flatMapThrowing { hasPlace in
            guard hasPlace else { throw NoPlace() }
            return connection
        }
    }

    /// Evicts some idle connections because the system has no descriptors left. From any thread.
    public func makeWay() {
        for loop in loops.withLock({ Array($0.values) }) {
            loop.eventLoop.execute { loop.makeWay(ClientConnections.makingWayAtOnce) }
        }
    }

    /// The number of descriptors that lets listeners and other parts work for a while.
    private static let makingWayAtOnce = 16

    private func loop(_ eventLoop: any EventLoop) -> LoopConnections {
        loops.withLock { loops in
            let id = ObjectIdentifier(eventLoop)
            if let loop = loops[id] { return loop }
            let loop = LoopConnections(eventLoop, maximum: maximumPerLoop)
            loops[id] = loop
            return loop
        }
    }

    // MARK: Shares of addresses

    /// Takes a share of an address for a new connection on an event loop. If none is left, the address's longest-idle
    /// connection there is closed, and its share passed on. If none is idle there, the other event loops are asked in
    /// turn. The result is false if no connection of the address is idle.
    func take(_ group: AddressGroup, on loop: LoopConnections) -> EventLoopFuture<Bool> {
        if counts.withLock({ $0.take(group) }) || loop.makeRoom(for: group) {
            return loop.eventLoop.makeSucceededFuture(true)
        }
        let others = loops.withLock { $0.values.filter { $0 !== loop } }
        return others.reduce(loop.eventLoop.makeSucceededFuture(false)) { asked, other in
            asked.flatMap { isTaken in
                isTaken
                    ? loop.eventLoop.makeSucceededFuture(true)
                    : other.eventLoop.submit { other.makeRoom(for: group) }.hop(to: loop.eventLoop)
            }
        }
    }

    func giveBack(_ group: AddressGroup) { counts.withLock { $0.giveBack(group) } }

    func takeForwarded(_ group: AddressGroup) -> Bool { forwarded.withLock { $0.take(group) } }

    func giveBackForwarded(_ group: AddressGroup) { forwarded.withLock { $0.giveBack(group) } }
}
