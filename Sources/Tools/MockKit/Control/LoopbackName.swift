import Encodings

/// The loopback names. Rejecting other names stops web pages that reach a loopback port by DNS rebinding.
package enum LoopbackName {
    /// True if a `Host` field is a loopback name, with or without a port.
    package static func isNamed(by host: String) -> Bool {
        guard let authority = try? Authority(host) else { return false }
        return Loopback.contains(host: authority.host) || authority.host.lowercased().hasSuffix(".localhost")
    }
}
