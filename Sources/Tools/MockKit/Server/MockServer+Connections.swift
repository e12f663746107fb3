import Reactor
import TLS
import TimeCore

extension MockServer {
    func listen() throws(SystemError) -> UInt16 {
        guard let address = SocketAddress(numericHost: options.host, port: options.port) else {
            throw SystemError(call: "listen", number: 22)
        }
        let (descriptor, port) = try Socket.listen(on: address)
        listener = try Listener(descriptor: descriptor, port: port, server: self)
        return port
    }

    func admissionSet(_ wanted: ConnectionScript.Admission) {
        if let admissionTimer { reactor.cancel(admissionTimer) }
        admissionTimer = nil
        admission = wanted
        if wanted.mode != .stallHandshake {
            for connection in Array(stalled.values) { connection.close() }
            stalled = [:]
        }
        if wanted.mode == .refuse { listener?.pause() } else { listener?.resume() }
        guard let duration = wanted.duration else { return }
        admissionTimer = reactor.schedule(after: duration) { [weak self] in
            self?.admissionSet(ConnectionScript.Admission(.accept))
        }
    }

    func accepted(_ descriptor: Int32) {
        journal.count { $0.connectionsAccepted += 1 }
        guard connections.count + stalled.count < options.maximumConnections else {
            journal.count { $0.connectionsOverMaximum += 1 }
            return Socket.close(descriptor)
        }
        connectionsBegun += 1
        switch admission.mode {
        case .accept: open(descriptor)
        case .refuse, .reset:
            Socket.resetOnClose(descriptor)
            Socket.close(descriptor)
        case .stallHandshake:
            stalled[connectionsBegun] = StalledConnection(descriptor, number: connectionsBegun, server: self)
        }
    }

    private func open(_ descriptor: Int32) {
        do {
            let transport = try TLSConnection.accept(
                descriptor, context: tlsContext, timeout: options.handshakeTimeout, on: reactor)
            connections[connectionsBegun] = ServerConnection(transport, number: connectionsBegun, server: self)
        } catch {
            journal.count { $0.handshakesFailed += 1 }
        }
    }

    func connectionEstablished() {
        journal.count {
            $0.connectionsOpened += 1
            $0.connectionsOpen += 1
        }
    }

    func connectionEnded(_ connection: ServerConnection, wasEstablished: Bool) {
        connections[connection.number] = nil
        service.connectionEnded(connection.number)
        journal.count {
            if wasEstablished { $0.connectionsOpen -= 1 } else { $0.handshakesFailed += 1 }
        }
    }
}
