public import Encodings
public import Reactor
public import TLS
public import TimeCore

/// What opens connections to one provider: knows where it is, whom its certificate must come from, the proxy, and which
/// of its addresses have failed lately. HTTP/2 is all that is spoken there.
///
/// Belongs to its reactor's thread, but for `init` and `url`.
public final class ProviderConnector {
    /// How connections are opened.
    public struct Options: Sendable {
        /// The HTTP proxy through which the provider is reached; nil: without one.
        public var proxy: ProxyURL?
        /// For each address: TCP, the way through a proxy and TLS together. Resolving the name has as long.
        public var connectTimeout = TimeInterval.seconds(5)
        /// How long one address is tried alone before the next one is tried beside it (RFC 8305).
        public var attemptDelay = TimeInterval.milliseconds(250)
        /// Addresses to connect to; nil: those that the name, or the proxy's, resolves to when a connection is opened.
        public var addresses: [SocketAddress]?

        public init(proxy: ProxyURL? = nil) {
            self.proxy = proxy
        }
    }

    /// Where connections lead.
    public let url: ProviderURL
    let reactor: Reactor
    let options: Options
    let context: TLSContext
    var rotation = AddressRotation()

    /// Reads the certificates that are trusted; opens no connection.
    public init(
        to url: ProviderURL, trust: TLSContext.Trust, options: Options, on reactor: Reactor
    ) throws(TLSError) {
        self.url = url
        self.options = options
        self.reactor = reactor
        context = try TLSContext.client(trust: trust, applicationProtocol: "h2")
    }
}
