import Encodings
public import Reactor
public import TLS

/// A connection that is about to be: the name is resolved, and its addresses race. Lives on the connector's reactor.
public final class ConnectionAttempt {
    /// A connection that is established.
    public struct Connected {
        /// It has no delegate yet.
        public let transport: TLSConnection
        /// Whom it leads to: the provider's, or the proxy's.
        public let address: SocketAddress
    }

    /// Why there is none, for the log.
    public struct Failure: Error {
        /// What the last address that was tried came to, with that address.
        public let reason: String
    }

    private let connector: ProviderConnector
    private var race: ConnectionRace?
    private var ended: ((Result<Connected, Failure>) -> Void)?

    /// - Parameter ended: called once, perhaps from within `start`, unless the attempt is stopped before.
    public init(_ connector: ProviderConnector, ended: @escaping (Result<Connected, Failure>) -> Void) {
        self.connector = connector
        self.ended = ended
    }

    /// Begins. To be called once.
    public func start() {
        if let addresses = connector.options.addresses { return run(addresses) }
        let proxy = connector.options.proxy
        Resolver.resolve(
            host: proxy?.host ?? connector.url.host, port: proxy?.port ?? connector.url.port,
            timeout: connector.options.connectTimeout, on: connector.reactor
        ) { [weak self] result in
            guard let self, ended != nil else { return }
            switch result {
            case .success(let addresses): run(addresses)
            case .failure(let error): end(.failure(Failure(reason: error.description)))
            }
        }
    }

    /// Ends it without another word.
    public func stop() {
        ended = nil
        race?.stop()
        race = nil
    }

    private func run(_ addresses: [SocketAddress]) {
        let race = ConnectionRace(connector, connector.rotation.order(addresses)) { [weak self] result in
            self?.end(result)
        }
        self.race = race
        race.start()
    }

    private func end(_ result: Result<Connected, Failure>) {
        let ended = ended
        self.ended = nil
        race = nil
        ended?(result)
    }
}
