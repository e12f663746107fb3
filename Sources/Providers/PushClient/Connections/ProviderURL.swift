import Encodings

/// The address of a provider: `https://host[:port]`.
struct ProviderURL: Equatable, Sendable {
    /// A name, or an address in numbers (IPv6 without brackets).
    let host: String
    let port: UInt16

    static let defaultPort: UInt16 = 443

    init(_ text: String) throws(PushConfigurationError) {
        let scheme = "https://"
        guard text.lowercased().hasPrefix(scheme) else { throw .url(text, reason: "it must begin with https://") }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains(where: { "/?#@ ".contains($0) }) else {
            throw .url(text, reason: "it must have nothing but a host and a port")
        }
        do {
            let authority = try Authority(rest)
            host = authority.host
            port = authority.port ?? ProviderURL.defaultPort
        } catch {
            throw .url(text, reason: ProviderURL.fault(error))
        }
        guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .url(text, reason: ProviderURL.fault(.host))
        }
    }

    private static func fault(_ malformed: Authority.Malformed) -> String {
        switch malformed {
        case .bracket: "a bracket is missing"
        case .host: "it has no host"
        case .colons, .port: "the port is malformed"
        }
    }

    /// What `:authority` says: the port only when it is not the default one.
    var authority: String {
        Authority(host: host, port: port == ProviderURL.defaultPort ? nil : port).description
    }
}
