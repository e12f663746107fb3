import ConnectionCore
public import Encodings
public import NIOCore
import NIOHTTPTypesHTTP1
import Reactor

/// One connection of a client, from its acceptance until it is closed. `@unchecked Sendable`: confined to its event
/// loop, which is asserted. A lock guards `client`.
public final class ClientConnection: @unchecked Sendable {
    /// The connection whose request is being answered by this task.
    @TaskLocal static var current: ClientConnection?

    /// Runs the closure that answers the connection's requests.
    public func asCurrent(_ body: () async -> Void) async {
        await ClientConnection.$current.withValue(self) { await body() }
    }

    private let channel: any Channel
    private let connections: ClientConnections
    private let loop: LoopConnections
    private let peer: IPAddress?
    private var place: ConnectionTable.Place?
    /// The address group that it has a share of; nil if it has none.
    private var share: AddressGroup?
    private var phase = ConnectionTable.Phase.resting
    private var unanswered = 0
    private var isBodyOpen = false
    private var ending = ConnectionMetrics.Ending.done
    private let client: Locked<Client>

    private struct Client {
        /// The address of the client: the peer's, or the one in a proxy's header.
        var address: IPAddress?
        var isProxy: Bool
        /// True if `X-Forwarded-For` counts. False after a header of the PROXY protocol without an address: the client
        /// is unknown, so its own fields are not trusted.
        var forwards: Bool
        /// See `cutBody`.
        var isBodyCut = false
        /// See `inputClosed`.
        var isInputClosed = false
        /// See `passed`.
        var stall = StallDetector.Stall.nothing
    }

    init(_ channel: any Channel, peer: IPAddress?, in connections: ClientConnections, on loop: LoopConnections) {
        self.channel = channel
        self.connections = connections
        self.loop = loop
        self.peer = peer
        let isProxy = peer.map(connections.limits.trustedProxies.contains) ?? false
        client = Locked(Client(address: peer, isProxy: isProxy, forwards: isProxy))
    }

    // MARK: Origin

    private var origin: Client { client.withLock { $0 } }

    /// True if the first bytes must be a header of the PROXY protocol.
    private var expectsProxyHeader: Bool { connections.limits.expectsProxyHeader && origin.isProxy }

    /// The IP address of a request's client; nil on a local socket. From any thread.
    /// - Parameter forwardedFor: The request's `X-Forwarded-For` fields in their order. They count only when a trusted
    ///   proxy forwards the request.
    public func clientAddress(forwardedFor: some BidirectionalCollection<String>) -> IPAddress? {
        let origin = origin
        guard let address = origin.address else { return nil }
        guard origin.forwards else { return address.unmapped }
        return connections.limits.trustedProxies.client(address, forwardedFor: forwardedFor)
    }

    /// True if proxies may forward requests of others over it. From any thread.
    var isForwarding: Bool { !connections.limits.trustedProxies.isEmpty && origin.forwards }

    /// Takes a place among the client's forwarded requests in progress; nil if the client has the maximum. From any
    /// thread. Other requests need no place, because their connections are counted.
    func enterForwarded(_ client: IPAddress?) -> ForwardedPlace? {
        guard let client, origin.forwards, !connections.limits.trustedProxies.contains(client) else {
            return .notNeeded
        }
        let group = AddressGroup(client)
        return connections.takeForwarded(group) ? .taken(group) : nil
    }

    /// Gives a place back. From any thread.
    func leaveForwarded(_ place: ForwardedPlace) {
        if case .taken(let group) = place { connections.giveBackForwarded(group) }
    }

    /// See `enterForwarded`.
    enum ForwardedPlace: Sendable {
        case notNeeded
        case taken(AddressGroup)
    }

    /// Records that the gateway waits no longer for the rest of a body, because the server ends.
    func cutBody() { client.withLock { $0.isBodyCut = true } }

    /// See `cutBody`. From any thread.
    var isBodyCut: Bool { client.withLock { $0.isBodyCut } }

    /// Records that the client sends no more. It has closed the connection, or only its own direction.
    func inputClosed() { client.withLock { $0.isInputClosed = true } }

    /// See `inputClosed`. From any thread.
    var isInputClosed: Bool { client.withLock { $0.isInputClosed } }

    /// Records the head of a request.
    /// - Parameter stall: The recent stall of the event loop that read it.
    func note(_ stall: StallDetector.Stall) { client.withLock { $0.stall = stall } }

    /// The stall of the event loop before it read the request that the router answers. From any thread.
    var stall: StallDetector.Stall { client.withLock { $0.stall } }

    // MARK: Pipeline, on the channel's event loop

    /// Adds a handler that removes the header of a trusted proxy, if one is expected. Handlers that are added later see
    /// only the bytes behind it.
    /// - Parameter time: The time from now to the end of the header; then the connection ends.
    public func takeProxyHeader(within time: TimeAmount) throws {
        guard expectsProxyHeader else { return }
        try channel.pipeline.syncOperations.addHandler(
            ProxyHeaderHandler(self, within: time), name: ProxyHeaderHandler.name)
    }

    /// Builds the rest of the pipeline when the first bytes arrive.
    /// - Parameters:
    ///   - time: The time from now to the first bytes, and to the end of the first head; then the connection ends.
    ///   - begin: Adds the rest to the end of the pipeline before it returns, or closes the channel. Runs on the
    ///     channel's event loop, with the deadline of the first head.
    public func whenItSpeaks(within time: TimeAmount, begin: @escaping (NIODeadline) -> Void) throws {
        try channel.pipeline.syncOperations.addHandler(FirstBytesHandler(self, within: time, begin: begin))
    }

    /// Closes the connection if a head or a body takes longer. Requires a pipeline for HTTP/1.1 by Hummingbird.
    public func limitRequests(to time: TimeAmount) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(
            DeadlineHandler(channel, self, time: time),
            position: .before(try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
    }

    // MARK: Life cycle

    /// Takes a share of its address and a place. The result is false if either is missing.
    func begin() -> EventLoopFuture<Bool> {
        loop.eventLoop.assertInEventLoop()
        return takeShare(origin).map { self.begin(hasShare: $0) }
    }

    private func begin(hasShare: Bool) -> Bool {
        guard hasShare else {
            connections.metrics.connectionEnded(.addressLimit)
            return false
        }
        let origin = origin
        guard let place = loop.open(self, AddressGroup(origin.address), isProxy: origin.isProxy) else {
            giveShareBack()
            connections.metrics.connectionEnded(.full)
            return false
        }
        self.place = place
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.closed() }
        return true
    }

    /// Takes the address of a proxy's header; nil if the header has none, as for the proxy's own health checks.
    /// - Returns: False if the client has no place left, or the connection has ended.
    func readdressed(_ address: IPAddress?) -> EventLoopFuture<Bool> {
        guard let address, place != nil else {
            client.withLock { $0.forwards = false }
            return loop.eventLoop.makeSucceededFuture(place != nil)
        }
        let isProxy = connections.limits.trustedProxies.contains(address)
        let named = Client(address: address, isProxy: isProxy, forwards: isProxy)
        giveShareBack()
        return takeShare(named).map { isTaken in
            guard let place = self.place, isTaken else {
                self.giveShareBack()
                self.end(.addressLimit)
                return false
            }
            self.client.withLock { $0 = named }
            self.loop.readdress(place, AddressGroup(address), isProxy: named.isProxy)
            return true
        }
    }

    /// The name of the handler that encrypts, if there is one.
    public static let encryption = "encryption"

    /// Closes the connection, bypassing the handler that encrypts. That handler would wait for the client's closure,
    /// and the descriptor is needed now.
    func end(_ reason: ConnectionMetrics.Ending) {
        if ending == .done { ending = reason }
        guard let context = try? channel.pipeline.syncOperations.context(name: ClientConnection.encryption) else {
            return channel.close(promise: nil)
        }
        context.close(promise: nil)
    }

    private func closed() {
        loop.eventLoop.assertInEventLoop()
        giveShareBack()
        if let place { loop.close(place) }
        place = nil
        connections.metrics.connectionEnded(ending)
    }

    /// A proxy's own connections have no limit, because they serve many clients.
    private func takeShare(_ client: Client) -> EventLoopFuture<Bool> {
        guard !client.isProxy else { return loop.eventLoop.makeSucceededFuture(true) }
        let group = AddressGroup(client.address)
        return connections.take(group, on: loop).map { isTaken in
            if isTaken { self.share = group }
            return isTaken
        }
    }

    /// Keeps the share in place for another connection of the address.
    func passShareOn() { share = nil }

    private func giveShareBack() {
        if let share { connections.giveBack(share) }
        share = nil
    }

    // MARK: Requests

    func headCame() {
        unanswered += 1
        isBodyOpen = true
    }

    func bodyCame() { isBodyOpen = false }

    func answered() {
        unanswered = max(0, unanswered - 1)
        noteParts()
    }

    /// Updates the phase after the available bytes have been read.
    func readCompleted() { noteParts() }

    private func noteParts() {
        let new: ConnectionTable.Phase = unanswered == 0 ? .resting : isBodyOpen ? .receiving : .answering
        guard new != phase, let place else { return }
        phase = new
        loop.change(place, to: new)
    }

    func refused(_ fault: ConnectionMetrics.HeadFault) { connections.metrics.refused(fault) }
}
