/// The assignment of slots to nodes. A pure value without connections.
struct ClusterTopology: Equatable {
    /// The masters that have at least one slot, without duplicates.
    private(set) var masters: [ClusterAddress] = []
    /// All other known nodes.
    private(set) var replicas: [ClusterAddress] = []
    /// For each slot the index of its master in `masters`; -1 for an unassigned slot.
    private var owners = [Int16](repeating: -1, count: ClusterSlot.count)

    /// A cluster has 1,000 nodes at most by its specification.
    private static let maximumNodes = 4096

    init() {}

    /// Parses the reply to CLUSTER SLOTS; nil if it is invalid or assigns no slot.
    /// - Parameter asked: The host of the node that replied, used for nodes without a host.
    init?(_ reply: RedisValue, asked: String) {
        guard let ranges = reply.array else { return nil }
        for range in ranges {
            guard let parts = range.array, parts.count >= 3, let first = parts[0].int, let last = parts[1].int,
                first >= 0, first <= last, last < ClusterSlot.count,
                let master = ClusterTopology.address(parts[2], asked)
            else { return nil }
            guard masters.count < ClusterTopology.maximumNodes else { return nil }
            let place = place(of: master)
            for slot in Int(first)...Int(last) { owners[slot] = place }
            for part in parts.dropFirst(3) {
                guard let replica = ClusterTopology.address(part, asked), !replicas.contains(replica),
                    replicas.count < ClusterTopology.maximumNodes
                else { continue }
                replicas.append(replica)
            }
        }
        guard !masters.isEmpty else { return nil }
        replicas.removeAll { masters.contains($0) }
    }

    func master(of slot: UInt16) -> ClusterAddress? {
        let place = owners[Int(slot) % ClusterSlot.count]
        return place < 0 ? nil : masters[Int(place)]
    }

    /// A slot of each master.
    var masterSlots: [UInt16] { masters.indices.compactMap { owners.firstIndex(of: Int16($0)).map { UInt16($0) } } }

    /// The number of slots with a master.
    var coveredSlots: Int { owners.count { $0 >= 0 } }

    /// Assigns a slot to another node after a redirection.
    mutating func moved(_ slot: UInt16, to address: ClusterAddress) {
        guard masters.contains(address) || masters.count < ClusterTopology.maximumNodes else { return }
        owners[Int(slot) % ClusterSlot.count] = place(of: address)
    }

    private mutating func place(of master: ClusterAddress) -> Int16 {
        if let known = masters.firstIndex(of: master) { return Int16(known) }
        masters.append(master)
        return Int16(masters.count - 1)
    }

    /// The host and port in a node's first two parts. The host is null or empty if the node does not know its own.
    private static func address(_ node: RedisValue, _ asked: String) -> ClusterAddress? {
        guard let parts = node.array, parts.count >= 2, let port = parts[1].int.flatMap({ UInt16(exactly: $0) }),
            port > 0
        else { return nil }
        let host = parts[0].string ?? ""
        return ClusterAddress(host: host.isEmpty || host == "?" ? asked : host, port: port)
    }
}
