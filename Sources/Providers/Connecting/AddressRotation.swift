import Reactor

/// Orders a name's addresses. Each connection begins one further, and IPv6 and IPv4 alternate (RFC 8305, section 4).
/// Addresses that failed recently come last.
struct AddressRotation {
    private var turn = 0
    private var failed: Set<String> = []
    /// The maximum number of remembered addresses.
    private static let memory = 64

    mutating func order(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard !addresses.isEmpty else { return [] }
        let start = turn % addresses.count
        turn &+= 1
        let rotated = addresses[start...] + addresses[..<start]
        return AddressRotation.alternating(rotated.filter { !failed.contains($0.description) })
            + AddressRotation.alternating(rotated.filter { failed.contains($0.description) })
    }

    /// Alternates the families, beginning with that of the first address.
    private static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let same = addresses.filter { $0.isIPv6 == first.isIPv6 }
        let others = addresses.filter { $0.isIPv6 != first.isIPv6 }
        var mixed: [SocketAddress] = []
        for index in 0..<max(same.count, others.count) {
            if index < same.count { mixed.append(same[index]) }
            if index < others.count { mixed.append(others[index]) }
        }
        return mixed
    }

    mutating func attemptFailed(_ address: SocketAddress) {
        if failed.count >= AddressRotation.memory { failed.removeAll() }
        failed.insert(address.description)
    }

    mutating func attemptSucceeded(_ address: SocketAddress) {
        failed.remove(address.description)
    }
}
