import Foundation
import Reactor
import TestCertificates
import Testing
import TimeCore

@testable import TLS

/// The events at one end of a connection. Confined to the reactor.
final class Recorder: TLSConnectionDelegate, @unchecked Sendable {
    var received: [UInt8] = []
    var isEstablished = false
    var drained = 0
    var end: ConnectionEnd?
    var onEstablished: (TLSConnection) -> Void = { _ in }
    var onReceived: (TLSConnection, UnsafeRawBufferPointer) -> Void = { _, _ in }
    var onDrained: (TLSConnection) -> Void = { _ in }
    var onEnd: () -> Void = {}

    func connectionEstablished(_ connection: TLSConnection) {
        isEstablished = true
        onEstablished(connection)
    }

    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        received += plaintext.assumingMemoryBound(to: UInt8.self)
        onReceived(connection, plaintext)
    }

    func connectionDrained(_ connection: TLSConnection) {
        drained += 1
        onDrained(connection)
    }

    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        #expect(self.end == nil, "ended twice")
        self.end = end
        onEnd()
    }
}

/// Accepts sockets on a reactor and passes them on.
final class Listener: DescriptorHandler, @unchecked Sendable {
    let port: UInt16
    private let descriptor: Int32
    private var watch: Watch?
    private let accepted: (Int32) -> Void

    init(_ reactor: Reactor, _ accepted: @escaping (Int32) -> Void) throws {
        let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
        (descriptor, port) = try Socket.listen(on: address)
        self.accepted = accepted
        watch = try reactor.watch(descriptor, .read, self)
    }

    deinit {
        Socket.close(descriptor)
    }

    func descriptorReady(_ readiness: Readiness) {
        while let socket = Socket.accept(descriptor) { accepted(socket) }
    }
}

/// A client and a server on one reactor.
final class TLSStage: @unchecked Sendable {
    let reactor: Reactor
    let client = Recorder()
    let server = Recorder()
    var serverConnection: TLSConnection?
    var clientConnection: TLSConnection?
    private var listener: Listener?

    struct Setting {
        var hostName = "localhost"
        var names: String? = "DNS:localhost,IP:127.0.0.1"
        var trustsOther = false
        var days = 2
        var clientProtocol = "h2"
        var serverProtocol = "h2"
        var timeout = TimeInterval.seconds(20)
        /// Receives accepted sockets in place of TLS.
        var onSocket: (@Sendable (Int32) -> Void)?
    }

    init() throws {
        reactor = try Reactor(name: "tls")
    }

    /// Connects, and waits until `finish` is called on the reactor. Returns false after half a minute.
    func run(
        _ setting: Setting = Setting(),
        _ prepare: @escaping @Sendable (TLSStage, @escaping @Sendable () -> Void) -> Void
    ) async throws -> Bool {
        let maker = try CertificateMaker()
        let root = try maker.make("root")
        let other = try maker.make("other")
        let leaf = try maker.make("leaf", names: setting.names, issuer: root, days: setting.days)
        let trusted = setting.trustsOther ? other : root
        let clientContext = try TLSContext.client(
            trust: .file(trusted.certificateFile), applicationProtocol: setting.clientProtocol)
        let serverContext = try TLSContext.server(
            certificateChainFile: leaf.certificateFile, privateKeyFile: leaf.keyFile,
            applicationProtocol: setting.serverProtocol)
        let result = await withCheckedContinuation { continuation in
            reactor.execute { [self] in
                var isOver = false
                let finish: (Bool) -> Void = { value in
                    if !isOver { continuation.resume(returning: value) }
                    isOver = true
                }
                nonisolated(unsafe) let unsafeFinish = finish
                prepare(self) { unsafeFinish(true) }
                reactor.schedule(after: .seconds(30)) { unsafeFinish(false) }
                do {
                    let listener = try Listener(reactor) { [unowned self] socket in
                        if let onSocket = setting.onSocket { return onSocket(socket) }
                        serverConnection = try? TLSConnection.accept(
                            socket, context: serverContext, timeout: setting.timeout, on: reactor)
                        serverConnection?.delegate = server
                    }
                    self.listener = listener
                    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: listener.port))
                    clientConnection = try TLSConnection.connect(
                        to: address, hostName: setting.hostName, context: clientContext, timeout: setting.timeout,
                        on: reactor)
                    clientConnection?.delegate = client
                } catch {
                    Issue.record(error)
                    finish(false)
                }
            }
        }
        reactor.stop()
        serverConnection = nil
        clientConnection = nil
        withExtendedLifetime(maker) {}
        return result
    }
}

extension TLSConnection {
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send($0) } }
}
