import PoolCore
import PushProtocol
import Reactor
import TLS
import TimeCore

/// One connection of a client, from the look-up of the name to its end: it moves bytes between the transport and the
/// HTTP/2 session, and tells the client what they mean.
final class PushConnection: TLSConnectionDelegate {
    let id: ConnectionID
    let session: HTTP2Session
    /// What pushes on this connection are sent with. Set by the client.
    var providerToken: ProviderToken?
    /// When `providerToken` was first used here.
    var tokenUsedSince: MonotonicTime?
    /// Pushes submitted and not handed to the transport.
    var unflushed = 0
    private(set) var address: SocketAddress?
    /// Whether the client hears of this connection any more.
    private(set) var isClosed = false
    private(set) var isEstablished = false

    private unowned let client: PushClient
    private var candidates: [SocketAddress] = []
    private var transport: TLSConnection?

    init(_ id: ConnectionID, _ session: HTTP2Session, _ client: PushClient) {
        self.id = id
        self.session = session
        self.client = client
    }

    /// Ciphertext that the socket has not taken.
    var backlog: Int { transport?.backlog ?? 0 }

    func start() {
        let url = client.url
        let timeout = client.options.connectTimeout
        Resolver.resolve(host: url.host, port: url.port, timeout: timeout, on: client.reactor) { [weak self] result in
            guard let self, !self.isClosed else { return }
            switch result {
            case .success(let addresses):
                self.candidates = self.client.rotation.order(addresses)
                self.tryNext("no address")
            case .failure(let error): self.client.connectionEnded(self, error.description)
            }
        }
    }

    /// Ends the connection without another word to the client.
    func close(abruptly: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        if isEstablished, !abruptly {
            session.goAway()
            flush()
        }
        transport?.close(abruptly: abruptly)
        transport?.delegate = nil
    }

    /// Hands the session's output to the transport in large pieces.
    func flush() {
        unflushed = 0
        guard let transport, isEstablished else { return }
        let batch = client.batch
        session.drainOutput { piece in
            batch.append(piece)
            return !batch.isFull || batch.send(to: transport)
        }
        _ = batch.send(to: transport)
    }

    private func tryNext(_ failure: String) {
        guard !candidates.isEmpty else { return client.connectionEnded(self, failure) }
        let next = candidates.removeFirst()
        address = next
        do {
            let transport = try TLSConnection.connect(
                to: next, hostName: client.url.host, context: client.context,
                timeout: client.options.connectTimeout, on: client.reactor)
            transport.delegate = self
            self.transport = transport
        } catch {
            client.rotation.attemptFailed(next)
            tryNext("\(next): \(error)")
        }
    }

    // MARK: From the transport

    func connectionEstablished(_ connection: TLSConnection) {
        guard !isClosed, let address else { return }
        client.rotation.attemptSucceeded(address)
        isEstablished = true
        client.connectionEstablished(self)
    }

    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        session.receive(plaintext)
        client.connectionReceived(self)
    }

    func connectionDrained(_ connection: TLSConnection) {
        guard !isClosed else { return }
        client.connectionDrained(self)
    }

    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        guard !isClosed, connection === transport else { return }
        let reason = address.map { "\($0): \(end)" } ?? end.description
        if isEstablished { return client.connectionEnded(self, reason) }
        if let address { client.rotation.attemptFailed(address) }
        tryNext(reason)
    }
}
