import CNghttp2
import Foundation
public import Reactor
import Synchronization
import TLS
import TimeCore

/// A provider for tests of the client: libnghttp2's server session over TLS, on its own reactor.
public final class TestProvider: DescriptorHandler, @unchecked Sendable {
    /// The action of the provider for a request.
    public enum Answer: Sendable {
        case accept
        case status(Int, body: String = "", retryAfter: Int? = nil, fields: [String: String] = [:])
        /// The HEADERS of an answer whose body never comes.
        case statusAlone(Int)
        case silence
        case reset(UInt32)
        case closeAbruptly
        /// GOAWAY after all bytes received together with this request. The request is the last that is processed
        /// (`inclusive`), or the first that is not.
        case goAway(inclusive: Bool)
        /// GOAWAY that names this request as the last, then its answer, then the end of the connection.
        case farewell
        case settings(UInt32)
    }

    public struct Entry: Sendable {
        public let path: String
        public let identifier: String
        public let authorization: String
        public let headers: [String: String]
        public let body: [UInt8]
        public var bodyLength: Int { body.count }
        public let connection: Int
        public var status: Int?
    }

    public typealias Script = @Sendable (_ count: Int, _ connection: Int, _ path: String) -> Answer

    public let reactor: Reactor
    public private(set) var port: UInt16 = 0
    let context: TLSContext
    let keepsLedger: Bool
    private var listener: Int32 = -1
    private var watch: Watch?
    var connections: [ObjectIdentifier: ProviderConnection] = [:]
    private var connectionCount = 0
    private let shared = Mutex(Shared())

    struct Shared {
        var script: Script = { _, _, _ in .accept }
        var initialLimit: UInt32? = 1_000
        var ledger: [Entry] = []
        var connections = 0
        var requests = 0
        var refusals = 0
    }

    public init(
        identity: TestIdentity = .shared, keepsLedger: Bool = true, host: String = "127.0.0.1", port: UInt16 = 0
    ) throws {
        self.keepsLedger = keepsLedger
        reactor = try Reactor(name: "provider")
        context = try TLSContext.server(
            certificateChainFile: identity.certificate, privateKeyFile: identity.certificateKey,
            applicationProtocol: "h2")
        let address = SocketAddress(numericHost: host, port: port)!
        (listener, self.port) = try Socket.listen(on: address)
        reactor.execute { self.watch = try? self.reactor.watch(self.listener, .read, self) }
    }

    public var script: Script {
        get { shared.withLock { $0.script } }
        set { shared.withLock { $0.script = newValue } }
    }

    public var initialLimit: UInt32? {
        get { shared.withLock { $0.initialLimit } }
        set { shared.withLock { $0.initialLimit = newValue } }
    }

    public var ledger: [Entry] { shared.withLock { $0.ledger } }
    public var connectionsAccepted: Int { shared.withLock { $0.connections } }
    public var requests: Int { shared.withLock { $0.requests } }

    public func stop() async {
        await reactor.call(stopped: ()) { done in
            if let watch = self.watch { self.reactor.unwatch(watch) }
            if self.listener >= 0 { Socket.close(self.listener) }
            self.listener = -1
            for connection in self.connections.values { connection.transport.close(abruptly: true) }
            self.connections.removeAll()
            done(())
        }
        reactor.stop()
    }

    /// Runs `body` on the reactor for each open connection.
    public func forEachConnection(_ body: @escaping @Sendable (ProviderConnection) -> Void) {
        reactor.execute { for connection in self.connections.values { body(connection) } }
    }

    public func descriptorReady(_ readiness: Readiness) {
        while let descriptor = Socket.accept(listener) {
            guard
                let transport = try? TLSConnection.accept(
                    descriptor, context: context, timeout: .seconds(5), on: reactor)
            else { continue }
            connectionCount += 1
            shared.withLock { $0.connections += 1 }
            let connection = ProviderConnection(transport, self, connectionCount)
            connections[ObjectIdentifier(connection)] = connection
        }
    }

    func answer(_ entry: Entry) -> Answer {
        let (script, count) = shared.withLock { state in
            state.requests += 1
            return (state.script, state.requests)
        }
        return script(count, entry.connection, entry.path)
    }

    func record(_ entry: Entry) -> Int {
        guard keepsLedger else { return -1 }
        return shared.withLock { state in
            state.ledger.append(entry)
            return state.ledger.count - 1
        }
    }

    func answered(_ index: Int, _ status: Int) {
        guard index >= 0 else { return }
        shared.withLock { $0.ledger[index].status = status }
    }
}
