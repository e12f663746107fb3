public import ConnectionCore

/// How many connections there may be, and whom they are for.
public struct ConnectionLimits: Sendable {
    /// Connections at once; beyond them one that rests makes way for each new one. Nil: as many as descriptors allow.
    public var maximum: Int?
    /// Connections of one address at once, or, where a trusted proxy passes them on, its requests under way.
    public var maximumPerAddress = 4096
    /// The proxies that are believed when they say whose request they pass on.
    public var trustedProxies = TrustedProxies()
    /// Whether these proxies begin each connection with a header of the PROXY protocol.
    public var expectsProxyHeader = false

    public init() {}
}
