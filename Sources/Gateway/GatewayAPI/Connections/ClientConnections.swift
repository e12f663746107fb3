import ConnectionCore
public import NIOCore
import Reactor

/// The connections of clients to a listener: how many there are, whose they are, and who makes way when they are too many.
///
/// An address's share is counted for all event loops together, when connections begin and end. Who makes way is each
/// event loop's own decision, among its own connections, which are an equal part of all: so no request takes a lock.
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

    /// Takes a new connection in; nil when there is no place for it, and it must be closed. On its event loop.
    public func open(_ channel: any Channel) -> ClientConnection? {
        let peer = channel.remoteAddress?.number
        let connection = ClientConnection(channel, peer: peer, in: self, on: loop(channel.eventLoop))
        metrics.connectionBegan()
        return connection.begin() ? connection : nil
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

    func take(_ group: AddressGroup) -> Bool { counts.withLock { $0.take(group) } }

    func giveBack(_ group: AddressGroup) { counts.withLock { $0.giveBack(group) } }

    func takeForwarded(_ group: AddressGroup) -> Bool { forwarded.withLock { $0.take(group) } }

    func giveBackForwarded(_ group: AddressGroup) { forwarded.withLock { $0.giveBack(group) } }
}
