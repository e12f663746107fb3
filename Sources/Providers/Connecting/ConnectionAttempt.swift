import Encodings
public import Reactor
public import TLS

/// An attempt to connect: it resolves the name, then its addresses race. Confined to the connector's reactor.
public final class ConnectionAttempt {
    /// An established connection.
    public struct Connected {
        /// The connection, without a delegate so far.
        public let transport: TLSConnection
        /// The address of the provider or the proxy.
        public let address: SocketAddress
    }

    /// The failure of an attempt, for the log.
    public struct Failure: Error {
        /// The error of the last attempted address, with that address.
        public let reason: String
    }

    private let connector: ProviderConnector
    private var race: ConnectionRace?
    private var ended: ((Result<Connected, Failure>) -> Void)?

    /// - Parameter ended: Called once, possibly within `start`, unless the attempt is stopped first.
    public init(_ connector: ProviderConnector, ended: @escaping (Result<Connected, Failure>) -> Void) {
        self.connector = connector
        self.ended = ended
    }

    /// Begins the attempt. Call it once.
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

    /// Stops the attempt without calling `ended`.
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
