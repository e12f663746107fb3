import Reactor
import TimeCore

/// The control port: HTTP/1.1 on the loopback address only. It has its own thread, so a long ledger delays no push.
/// Confined to its reactor, except constants and members documented for any thread.
final class ControlServer: DescriptorHandler, @unchecked Sendable {
    let reactor: Reactor
    let mock: any MockControls
    /// The time limit of a request, and separately of its answer.
    let patience: TimeInterval
    private var connections: [Int: ControlConnection] = [:]
    private var connectionsBegun = 0
    private var listener: Int32?
    private var watch: Watch?
    /// The maximum number of open connections. Further ones are closed at once.
    private static let maximumConnections = 16

    /// - Parameter port: Pass 0 for a free port.
    /// - Returns: The server and its port.
    static func start(
        port: UInt16, _ mock: any MockControls, patience: TimeInterval = .seconds(10)
    ) throws -> (ControlServer, UInt16) {
        let server = try ControlServer(mock, patience)
        let listening = Handover<Result<UInt16, SystemError>>()
        server.reactor.execute {
            listening.give(Result { () throws(SystemError) in try server.listen(port) })
        }
        do {
            return (server, try listening.take().get())
        } catch {
            server.stop()
            throw error
        }
    }

    private init(_ mock: any MockControls, _ patience: TimeInterval) throws(SystemError) {
        self.mock = mock
        self.patience = patience
        reactor = try Reactor(name: "mock-control")
    }

    private func listen(_ port: UInt16) throws(SystemError) -> UInt16 {
        guard let address = SocketAddress(numericHost: "127.0.0.1", port: port) else {
            throw SystemError(call: "listen", number: 22)
        }
        let (descriptor, port) = try Socket.listen(on: address)
        listener = descriptor
        watch = try reactor.watch(descriptor, .read, self)
        return port
    }

    func descriptorReady(_ readiness: Readiness) {
        assert(reactor.isOnReactor)
        while let listener, let descriptor = Socket.accept(listener) {
            guard connections.count < Self.maximumConnections else {
                Socket.close(descriptor)
                continue
            }
            connectionsBegun += 1
            connections[connectionsBegun] = ControlConnection(descriptor, number: connectionsBegun, server: self)
        }
    }

    func ended(_ number: Int) {
        connections[number] = nil
    }

    /// Ends all connections and the thread. Callable on any thread and more than once.
    func stop() {
        reactor.execute { self.close() }
        reactor.stop()
    }

    private func close() {
        if let watch { reactor.unwatch(watch) }
        watch = nil
        if let listener { Socket.close(listener) }
        listener = nil
        for connection in Array(connections.values) { connection.close() }
    }
}
