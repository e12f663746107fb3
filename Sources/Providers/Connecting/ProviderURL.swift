import Encodings

/// The address of a provider: `https://host[:port]`.
public struct ProviderURL: Hashable, Sendable {
    /// The reason why a text is not a provider's URL, for an operator.
    public struct Malformed: Error, Equatable, Sendable {
        /// The requirement that the text does not meet.
        public let reason: String
    }

    /// A name, or an address in numbers (IPv6 without brackets).
    public let host: String
    /// 443 unless the URL has a port.
    public let port: UInt16

    private static let scheme = "https://"
    private static let defaultPort: UInt16 = 443

    /// Parses a URL without a path, or with the path `/`.
    public init(_ text: String) throws(Malformed) {
        let (url, path) = try ProviderURL.parse(text)
        guard path.isEmpty || path == "/" else {
            throw Malformed(reason: "it must have nothing but a host and a port")
        }
        self = url
    }

    /// Splits a URL into provider and path. The path begins with `/`.
    public static func parse(_ text: String) throws(Malformed) -> (url: ProviderURL, path: String) {
        guard text.lowercased().hasPrefix(scheme) else { throw Malformed(reason: "it must begin with https://") }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest[authority.endIndex...]
        guard !rest.contains(where: { "?#@ ".contains($0) }), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Malformed(reason: "it must have nothing but a host and a port") }
        return (try ProviderURL(authority), path.isEmpty ? "/" : String(path))
    }

    private init(_ text: Substring) throws(Malformed) {
        do {
            let authority = try Authority(text)
            host = authority.host
            port = authority.port ?? ProviderURL.defaultPort
        } catch {
            throw Malformed(reason: ProviderURL.fault(error))
        }
        guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Malformed(reason: ProviderURL.fault(.host))
        }
    }

    private static func fault(_ malformed: Authority.Malformed) -> String {
        switch malformed {
        case .bracket: "a bracket is missing"
        case .host: "it has no host"
        case .colons, .port: "the port is malformed"
        }
    }

    /// The value of `:authority`, without the default port.
    public var authority: String {
        Authority(host: host, port: port == ProviderURL.defaultPort ? nil : port).description
    }
}
