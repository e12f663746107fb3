public import ConnectionCore

/// The limits of client connections, and the proxies in front.
public struct ConnectionLimits: Sendable {
    /// The maximum number of open connections. A new one beyond it evicts an idle one. Nil: the descriptors' limit.
    public var maximum: Int?
    /// The maximum of open connections of one address, or of its requests in progress behind a trusted proxy.
    public var maximumPerAddress = 4096
    /// The proxies whose information about the client is trusted.
    public var trustedProxies = TrustedProxies()
    /// True if these proxies begin each connection with a header of the PROXY protocol.
    public var expectsProxyHeader = false

    public init() {}
}
