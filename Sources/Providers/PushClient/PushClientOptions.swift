public import Connecting
public import Encodings
public import Reactor
public import TLS
public import TimeCore

/// How a push client reaches its provider, and its settings.
public struct PushClientOptions: Sendable {
    /// `https://host[:port]`; the port is 443 unless named.
    public var url: String
    /// Which roots the provider's certificate must lead to.
    public var trust: TLSContext.Trust
    /// The HTTP proxy through which the provider is reached; nil: without one.
    public var proxy: ProxyURL?
    /// Connections that take pushes at the same time, at most.
    public var maximumConnections = 8
    /// Every push has ended this long after it was taken.
    public var pushDeadline = TimeInterval.seconds(15)
    /// For each address: TCP, the way through a proxy and TLS together. Resolving the name has as long.
    public var connectTimeout = TimeInterval.seconds(5)
    /// How long one address is tried alone before the next one is tried beside it (RFC 8305).
    public var attemptDelay = TimeInterval.milliseconds(250)
    /// Addresses to connect to; nil: those that the name, or the proxy's, resolves to when a connection is opened.
    public var addresses: [SocketAddress]?
    /// A connection from which nothing came for this long gets a PING.
    public var idlePingInterval = TimeInterval.seconds(60)
    /// A connection without a push for this long is closed; nil: none is. The next push opens another.
    public var idleTimeout: TimeInterval?
    /// A PING without an answer for this long means that the connection is dead.
    public var pingTimeout = TimeInterval.seconds(10)
    /// Pushes that may wait for a stream, so that there is one for each that becomes free. Few, because all of them go
    /// ahead of whatever comes later.
    public var queueLimit = 128
    /// Streams on a connection that has not answered yet. Each answer earns more, up to the provider's limit.
    public var initialStreams = 16
    /// A connection is replaced after so many pushes.
    public var pushesPerConnection = 1 << 29
    /// A connection gets another authorization no sooner than this; if it has to, it is replaced.
    public var tokenChangeInterval = TimeInterval.seconds(1_200)
    /// The first pause after a failed attempt to connect. Pauses of a provider in trouble begin at twice as much.
    public var initialBackoff = TimeInterval.milliseconds(500)
    /// The longest pause after failed attempts to connect, and of a provider in trouble.
    public var maximumBackoff = TimeInterval.seconds(30)

    public init(url: String, trust: TLSContext.Trust) {
        self.url = url
        self.trust = trust
    }

    /// Whether the same provider is meant, and trusted for the same reason.
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

    /// What of it says how connections are opened.
    public var connecting: ProviderConnector.Options {
        var connecting = ProviderConnector.Options(proxy: proxy)
        connecting.connectTimeout = connectTimeout
        connecting.attemptDelay = attemptDelay
        connecting.addresses = addresses
        return connecting
    }
}

extension ProviderConnector {
    /// To the options' provider. Reads the certificates that are trusted; opens no connection.
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
