public import Connecting
public import Encodings
public import HTTPCalls
public import Reactor
public import TLS
public import TimeCore

/// The provider's URL and the settings of a push client.
public struct PushClientOptions: Sendable {
    /// `https://host[:port]`; the default port is 443.
    public var url: String
    /// The trusted roots of the provider's certificate.
    public var trust: TLSContext.Trust
    /// The HTTP proxy; nil for direct connections.
    public var proxy: ProxyURL?
    /// The maximum number of connections that accept pushes at the same time.
    public var maximumConnections = 8
    /// The maximum time from accepting a push to its outcome.
    public var pushDeadline = TimeInterval.seconds(15)
    /// The timeout of one address: TCP, proxy tunnel and TLS together. Resolving the name has the same timeout.
    public var connectTimeout = TimeInterval.seconds(5)
    /// The time before the next address is tried beside the current one (RFC 8305).
    public var attemptDelay = TimeInterval.milliseconds(250)
    /// The addresses to connect to. Nil to resolve the provider's or the proxy's name for each connection.
    public var addresses: [SocketAddress]?
    /// The time without received bytes after which a PING is sent.
    public var idlePingInterval = TimeInterval.seconds(60)
    /// The time without pushes after which a connection is closed; nil disables it. The next push opens another.
    public var idleTimeout: TimeInterval?
    /// The time after which an unanswered PING means that the connection is dead.
    public var pingTimeout = TimeInterval.seconds(10)
    /// The maximum number of pushes that wait for a stream, so that freed streams are used immediately. Low, because
    /// all of them precede later pushes.
    public var queueLimit = 128
    /// The stream window of a connection before its first answer. Each answer enlarges it, up to the provider's limit.
    public var initialStreams = 16
    /// The number of pushes after which a connection is replaced.
    public var pushesPerConnection = 1 << 29
    /// The minimum time between two authorizations on a connection. A connection that needs one sooner is replaced.
    public var tokenChangeInterval = TimeInterval.seconds(1_200)
    /// The first pause after a failed connection attempt. Pauses for a provider in trouble begin at twice as much.
    public var initialBackoff = TimeInterval.milliseconds(500)
    /// The maximum pause after failed connection attempts, and for a provider in trouble.
    public var maximumBackoff = TimeInterval.seconds(30)

    public init(url: String, trust: TLSContext.Trust) {
        self.url = url
        self.trust = trust
    }

    /// True if both reach the same provider with the same trust and proxy.
    public func reachesTheSame(as other: PushClientOptions) -> Bool {
        url == other.url && trust == other.trust && proxy == other.proxy
    }

    func check() throws(PushConfigurationError) {
        guard (1...256).contains(maximumConnections) else {
            throw .value(name: "maximum connections", reason: "must be 1 to 256")
        }
        guard pushDeadline > .zero else { throw .value(name: "push deadline", reason: "must be over zero") }
        guard (1...1_000_000).contains(queueLimit) else {
            throw .value(name: "queue limit", reason: "must be 1 to 1,000,000")
        }
        guard initialStreams > 0 else { throw .value(name: "initial streams", reason: "must be over zero") }
        guard (1...(1 << 29)).contains(pushesPerConnection) else {
            throw .value(name: "pushes per connection", reason: "must be 1 to 536,870,912")
        }
    }

    /// The options for opening connections.
    public var connecting: ProviderConnector.Options {
        var connecting = ProviderConnector.Options(proxy: proxy)
        connecting.connectTimeout = connectTimeout
        connecting.attemptDelay = attemptDelay
        connecting.addresses = addresses
        return connecting
    }
}

extension ProviderConnector {
    /// Creates a connector to the options' provider. Reads the trusted certificates; opens no connection.
    public convenience init(_ options: PushClientOptions, on reactor: Reactor) throws(PushConfigurationError) {
        let url: ProviderURL
        do {
            url = try ProviderURL(options.url)
        } catch {
            throw .url(options.url, reason: error.reason)
        }
        do {
            try self.init(to: url, trust: options.trust, options: options.connecting, on: reactor)
        } catch {
            throw .trust(error.description)
        }
    }
}

extension CallClient {
    /// Creates a client for rare calls to the options' provider. Reads the trusted certificates; opens no connection.
    public convenience init(_ options: PushClientOptions) throws(PushConfigurationError) {
        var calls = Options()
        if case .file(let path) = options.trust { calls.caFile = path }
        calls.proxy = options.proxy
        calls.connectTimeout = options.connectTimeout
        do {
            try self.init(calls)
        } catch {
            throw .trust(calls.caFile.map { "the certificates in \($0) cannot be read" } ?? "\(error)")
        }
    }
}
