import Reactor

/// In which order a name's addresses are tried: each connection begins one further, IPv6 and IPv4 take turns (RFC 8305,
/// section 4), and addresses that failed lately go last.
struct AddressRotation {
    private var turn = 0
    private var failed: Set<String> = []
    /// More are not remembered.
    private static let memory = 64

    mutating func order(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard !addresses.isEmpty else { return [] }
        let start = turn % addresses.count
        turn &+= 1
        let rotated = addresses[start...] + addresses[..<start]
        return AddressRotation.alternating(rotated.filter { !failed.contains($0.description) })
            + AddressRotation.alternating(rotated.filter { failed.contains($0.description) })
    }

    /// Begins with the family of the first one.
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
