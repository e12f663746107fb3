import Reactor
import TLS
import TimeCore

/// Concurrent attempts at several addresses (RFC 8305, Happy Eyeballs). The next attempt begins after a failure or a
/// delay, and the first established connection wins. Confined to the connector's reactor.
final class ConnectionRace: TLSConnectionDelegate {
    private struct Attempt {
        let transport: TLSConnection
        let address: SocketAddress
        let began: MonotonicTime
    }

    private let connector: ProviderConnector
    private var candidates: ArraySlice<SocketAddress>
    private var attempts: [Attempt] = []
    private var timer: ReactorTimer?
    private var ended: ((Result<ConnectionAttempt.Connected, ConnectionAttempt.Failure>) -> Void)?

    /// - Parameter ended: Called once, unless the race is stopped first.
    init(
        _ connector: ProviderConnector, _ candidates: [SocketAddress],
        ended: @escaping (Result<ConnectionAttempt.Connected, ConnectionAttempt.Failure>) -> Void
    ) {
        self.connector = connector
        self.candidates = candidates[...]
        self.ended = ended
    }

    func start() {
        tryNext("no address")
    }

    /// Stops all attempts without calling `ended`.
    func stop() {
        ended = nil
        stopTimer()
        for attempt in attempts {
            attempt.transport.delegate = nil
            attempt.transport.close(abruptly: true)
        }
        attempts = []
    }

    private func tryNext(_ failure: String) {
        stopTimer()
        guard let address = candidates.popFirst() else {
            if attempts.isEmpty { end(.failure(ConnectionAttempt.Failure(reason: failure))) }
            return
        }
        do {
            let tunnel = connector.options.proxy.map {
                ProxyTunnel(through: $0, to: connector.url.host, port: connector.url.port)
            }
            let transport = try TLSConnection.connect(
                to: address, through: tunnel, hostName: connector.url.host, context: connector.context,
                timeout: connector.options.connectTimeout, on: connector.reactor)
            transport.delegate = self
            attempts.append(Attempt(transport: transport, address: address, began: connector.reactor.now))
        } catch {
            connector.rotation.attemptFailed(address)
            return tryNext("\(address): \(error)")
        }
        guard !candidates.isEmpty else { return }
        timer = connector.reactor.schedule(after: connector.options.attemptDelay) { [weak self] in
            self?.timer = nil
            self?.tryNext(failure)
        }
    }

    private func stopTimer() {
        if let timer { connector.reactor.cancel(timer) }
        timer = nil
    }

    private func end(_ result: Result<ConnectionAttempt.Connected, ConnectionAttempt.Failure>) {
        let ended = ended
        stop()
        ended?(result)
    }

    // MARK: From the attempts

    func connectionEstablished(_ connection: TLSConnection) {
        guard let index = attempts.firstIndex(where: { $0.transport === connection }) else { return }
        let winner = attempts.remove(at: index)
        connector.rotation.attemptSucceeded(winner.address)
        // An attempt that began earlier and is not established is slow or gets no answer.
        for loser in attempts where loser.began < winner.began { connector.rotation.attemptFailed(loser.address) }
        end(.success(ConnectionAttempt.Connected(transport: winner.transport, address: winner.address)))
    }

    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        guard let index = attempts.firstIndex(where: { $0.transport === connection }) else { return }
        let loser = attempts.remove(at: index)
        connector.rotation.attemptFailed(loser.address)
        tryNext("\(loser.address): \(end)")
    }

    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {}

    func connectionDrained(_ connection: TLSConnection) {}
}
