import Encodings

/// The names of this machine alone. A page of another site can reach a loopback port only under a name of that site.
package enum LoopbackName {
    /// True if a `Host` field names this machine alone, with a port or without.
    package static func isNamed(by host: String) -> Bool {
        guard let authority = try? Authority(host) else { return false }
        return Loopback.contains(host: authority.host) || authority.host.lowercased().hasSuffix(".localhost")
    }
}
