import Reactor

/// In which order a name's addresses are tried: each connection begins one further, and addresses that failed lately
/// go last. So an unreachable IPv6 costs one attempt and no connection.
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
        return rotated.filter { !failed.contains($0.description) }
            + rotated.filter { failed.contains($0.description) }
    }

    mutating func attemptFailed(_ address: SocketAddress) {
        if failed.count >= AddressRotation.memory { failed.removeAll() }
        failed.insert(address.description)
    }

    mutating func attemptSucceeded(_ address: SocketAddress) {
        failed.remove(address.description)
    }
}
