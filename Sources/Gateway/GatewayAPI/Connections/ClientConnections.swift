import ConnectionCore
public import NIOCore
import Reactor

/// The connections of clients to a listener: how many there are, whose they are, and who makes way when they are too
/// many.
///
/// An address's share is counted for all event loops together, when connections begin and end. Who makes way is each
/// event loop's own decision, among its own connections, which are an equal part of all: so no request takes a lock.
/// For a new connection of an address that has all it may have, its longest-idle one is closed, first on the new one's
/// event loop.
public final class ClientConnections: Sendable {
    /// What is allowed.
    public let limits: ConnectionLimits
    /// What is counted.
    public let metrics = ConnectionMetrics()
    /// Connections at once.
    public let maximum: Int
    private let maximumPerLoop: Int
    private let counts: Locked<AddressCounts>
    /// Requests under way that trusted proxies passed on.
    private let forwarded: Locked<AddressCounts>
    private let loops = Locked<[ObjectIdentifier: LoopConnections]>([:])

    /// - Parameters:
    ///   - maximum: connections at once, whatever the limits ask for.
    ///   - eventLoops: how many event loops the listener's connections are spread over.
    public init(_ limits: ConnectionLimits, maximum: Int, eventLoops: Int) {
        self.limits = limits
        self.maximum = maximum
        maximumPerLoop = max(1, (maximum + eventLoops - 1) / max(1, eventLoops))
        counts = Locked(AddressCounts(maximum: limits.maximumPerAddress))
        forwarded = Locked(AddressCounts(maximum: limits.maximumPerAddress))
    }

    /// There is no place for another connection.
    public struct NoPlace: Error {}

    /// Admits a new connection; the future fails with `NoPlace` when the connection must be closed. On its event loop.
    /// The future waits only while other event loops are asked to make room.
    public func open(_ channel: any Channel) -> EventLoopFuture<ClientConnection> {
        let peer = channel.remoteAddress?.number
        let connection = ClientConnection(channel, peer: peer, in: self, on: loop(channel.eventLoop))
        metrics.connectionBegan()
        return connection.begin().flatMapThrowing { hasPlace in
            guard hasPlace else { throw NoPlace() }
            return connection
        }
    }

    /// Has some connections that rest make way, because the system has no descriptors left. From any thread.
    public func makeWay() {
        for loop in loops.withLock({ Array($0.values) }) {
            loop.eventLoop.execute { loop.makeWay(ClientConnections.makingWayAtOnce) }
        }
    }

    /// With these many descriptors listeners and others get on for a while.
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

    /// Takes a share of an address for a new connection on an event loop. If the address has no share left, its
    /// longest-idle connection on that event loop is closed, and its share passed on. If none rests there, the other
    /// event loops are asked in turn. The result is false if no connection of the address rests.
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
