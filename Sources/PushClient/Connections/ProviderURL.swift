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
        let portText: Substring?
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw .url(text, reason: "a bracket is missing") }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            let tail = rest[rest.index(after: end)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { throw .url(text, reason: "the port is malformed") }
            portText = tail.isEmpty ? nil : tail.dropFirst()
        } else {
            let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            host = String(parts.first ?? "")
            portText = parts.count > 1 ? parts[1] : nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .url(text, reason: "it has no host")
        }
        guard let portText else {
            port = ProviderURL.defaultPort
            return
        }
        guard let number = UInt16(portText), number > 0 else { throw .url(text, reason: "the port is malformed") }
        port = number
    }

    /// What `:authority` says: the port only when it is not the default one.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == ProviderURL.defaultPort ? name : "\(name):\(port)"
    }
}
