import Reactor
import TimeCore

/// A running mock: a service with its port, thread, journal and optional control port. All members are callable on any
/// thread.
package final class MockHost<Service: ScriptedService>: Sendable {
    /// The TCP port of the service.
    package let port: UInt16
    /// The TCP port of the second service; nil without one.
    package let sidePort: UInt16?
    /// `http://127.0.0.1:PORT`; nil without a control port.
    package let controlURL: String?
    package let journal: Journal
    package let controls: HostControls<Service>

    private let service: Service
    private let server: MockServer
    private let sideServer: MockServer?
    private let reactor: Reactor
    private let controlServer: ControlServer?

    /// Starts to listen. Throws `MockError`, `SystemError` or `TLSError`.
    /// - Parameters:
    ///   - name: The name of the thread.
    ///   - side: Creates the second service's port from the journal of the first.
    ///   - whenListening: Receives both ports before the control port starts.
    package init(
        _ service: Service, name: String, options: ServerOptions, identity: ServerIdentity,
        side: (Journal) -> SidePort? = { _ in nil }, whenListening: (UInt16, UInt16?) throws -> Void
    ) throws {
        self.service = service
        journal = Journal(keepsEntries: options.ledger == .full, capacity: options.maximumLedgerEntries)
        reactor = try Reactor(name: name)
        do {
            server = try MockServer(service, options: options, identity: identity, reactor: reactor, journal: journal)
            port = try Self.listen(server, reactor)
            if let side = side(journal) {
                let server = try MockServer(
                    side.service, options: side.options, identity: identity, reactor: reactor, journal: side.journal)
                sidePort = try Self.listen(server, reactor)
                sideServer = server
            } else {
                sidePort = nil
                sideServer = nil
            }
            try whenListening(port, sidePort)
            controls = HostControls(service: service, server: server, reactor: reactor, journal: journal)
            let control = try options.controlPort.map { [controls] in try ControlServer.start(port: $0, controls) }
            controlServer = control?.0
            controlURL = control.map { "http://127.0.0.1:\($0.1)" }
        } catch {
            reactor.stop()
            throw error
        }
    }

    private static func listen(_ server: MockServer, _ reactor: Reactor) throws(SystemError) -> UInt16 {
        let listening = Handover<Result<UInt16, SystemError>>()
        reactor.execute {
            let port = Result { () throws(SystemError) in try server.listen() }
            if case .success(let port) = port { server.service.listens(onPort: port) }
            listening.give(port)
        }
        return try listening.take().get()
    }

    deinit {
        stop()
    }

    /// Waits until the counts meet a condition, which is evaluated after each change. Returns false on timeout or when
    /// the mock stops. The condition runs on any thread and must be quick.
    package func waitFor(
        timeout: TimeInterval, until isMet: @escaping @Sendable (ServerCounts) -> Bool
    ) async -> Bool {
        let journal = journal
        let reactor = reactor
        return await withCheckedContinuation { continuation in
            guard let waiter = journal.await(isMet, resume: { continuation.resume(returning: $0) }) else { return }
            reactor.execute {
                reactor.schedule(after: timeout) { journal.giveUp(waiter) }
            }
        }
    }

    /// Writes the ledger as NDJSON, one line for each processed request.
    package func writeLedger(to path: String) throws(MockError) {
        try LedgerFile.write(journal.processed, to: path, service.ledgerLine)
    }

    /// Ends all connections and the thread. Callable more than once.
    package func stop() {
        // The control server stops first because its thread may be waiting for the reactor.
        controlServer?.stop()
        let (server, sideServer) = (server, sideServer)
        reactor.execute {
            server.stop()
            sideServer?.stop()
        }
        reactor.stop()
        journal.close()
    }
}
