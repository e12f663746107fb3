public import Encodings
public import Reactor
public import TLS
public import TimeCore

/// Opens connections to one provider. It has the provider's URL, trusted roots, proxy and recently failed addresses.
/// The only protocol is HTTP/2.
///
/// Confined to its reactor, except `init` and `url`.
public final class ProviderConnector {
    /// The options for opening connections.
    public struct Options: Sendable {
        /// The HTTP proxy; nil for direct connections.
        public var proxy: ProxyURL?
        /// The timeout of one address: TCP, proxy tunnel and TLS together. Resolving the name has the same timeout.
        public var connectTimeout = TimeInterval.seconds(5)
        /// The time before the next address is tried beside the current one (RFC 8305).
        public var attemptDelay = TimeInterval.milliseconds(250)
        /// The addresses to connect to. Nil to resolve the provider's or the proxy's name for each connection.
        public var addresses: [SocketAddress]?

        public init(proxy: ProxyURL? = nil) {
            self.proxy = proxy
        }
    }

    /// The provider's URL.
    public let url: ProviderURL
    let reactor: Reactor
    let options: Options
    let context: TLSContext
    var rotation = AddressRotation()

    /// Reads the trusted certificates; opens no connection.
    public init(
        to url: ProviderURL, trust: TLSContext.Trust, options: Options, on reactor: Reactor
    ) throws(TLSError) {
        self.url = url
        self.options = options
        self.reactor = reactor
        context = try TLSContext.client(trust: trust, applicationProtocol: "h2")
    }
}
