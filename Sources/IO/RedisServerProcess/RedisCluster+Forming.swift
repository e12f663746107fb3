import RedisClient
import TimeCore

// Forms the cluster with commands to its nodes, and checks its health.
extension RedisCluster {
    func form(until end: MonotonicTime) async throws(RedisServerError) {
        let masters = servers[..<RedisCluster.masterCount]
        let replicas = servers[RedisCluster.masterCount...]
        for (number, server) in servers.enumerated() {
            // Distinct epochs avoid a conflict that the nodes would have to settle first.
            try await say(RedisCommand("CLUSTER", "SET-CONFIG-EPOCH", number + 1), to: server)
        }
        for (number, server) in masters.enumerated() {
            let first = number * RedisCluster.slotCount / RedisCluster.masterCount
            let past = (number + 1) * RedisCluster.slotCount / RedisCluster.masterCount
            var add = RedisCommandBuilder("CLUSTER")
            add.append("ADDSLOTS")
            for slot in first..<past { add.append(slot) }
            try await say(add.finish(), to: server)
        }
        for server in servers.dropFirst() {
            guard case .tcp(let host, let port)? = server.tcpEndpoint?.location else { continue }
            try await say(RedisCommand("CLUSTER", "MEET", host, Int(port)), to: servers[0])
        }
        let haveMet = await wait(until: end) {
            for server in servers where await view(of: server).knownNodes != servers.count { return false }
            return true
        }
        guard haveMet else { throw .notReady(log: "the nodes of the cluster did not meet in time") }
        for (master, replica) in zip(masters, replicas) {
            let identifier = try await say(RedisCommand("CLUSTER", "MYID"), to: master).string ?? ""
            // The replica may not know its master yet.
            let isReplica = await wait(until: end) {
                if case .success = await call(RedisCommand("CLUSTER", "REPLICATE", identifier), on: replica) {
                    true
                } else {
                    false
                }
            }
            guard isReplica else { throw .notReady(log: "a node of the cluster did not become a replica in time") }
        }
        guard await wait(until: end, isWell) else {
            throw .notReady(log: "the nodes of the cluster did not agree in time")
        }
    }

    @discardableResult
    private func say(
        _ command: RedisCommand, to server: RedisServerProcess
    ) async throws(RedisServerError) -> RedisValue {
        switch await call(command, on: server) {
        case .success(let value): return value
        case .failure(let error): throw .cannotStart(reason: "forming the cluster: \(error)")
        }
    }

    // MARK: How a node sees the cluster

    struct View {
        var isOK = false
        var knownNodes = 0
        /// The ranges of slots with the ports of their nodes, the master first.
        var slots: [(slots: ClosedRange<Int>, ports: [Int64])] = []
        /// True for a replica in sync with its master, and for a master.
        var isInSync = false
    }

    func view(of server: RedisServerProcess) async -> View {
        var view = View()
        let info = lines(await call(RedisCommand("CLUSTER", "INFO"), on: server))
        view.isOK = info["cluster_state"] == "ok"
        view.knownNodes = info["cluster_known_nodes"].flatMap { Int($0) } ?? 0
        if case .success(let reply) = await call(RedisCommand("CLUSTER", "SLOTS"), on: server) {
            for range in reply.array ?? [] {
                guard let parts = range.array, parts.count > 2, let first = parts[0].int, let last = parts[1].int,
                    first <= last
                else { continue }
                view.slots.append(
                    (Int(first)...Int(last), parts.dropFirst(2).compactMap { $0.array?.dropFirst().first?.int }))
            }
        }
        let replication = lines(await call(RedisCommand("INFO", "replication"), on: server))
        view.isInSync = replication["role"] == "master" || replication["master_link_status"] == "up"
        return view
    }

    private func lines(_ reply: Result<RedisValue, RedisError>) -> [Substring: Substring] {
        guard case .success(let value) = reply, let text = value.string else { return [:] }
        var fields: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            if let colon = line.firstIndex(of: ":") { fields[line[..<colon]] = line[line.index(after: colon)...] }
        }
        return fields
    }

    func isWell() async -> Bool {
        for server in servers {
            guard server.isRunning else { return false }
            let view = await view(of: server)
            guard view.isOK, view.knownNodes == servers.count, view.isInSync,
                view.slots.reduce(0, { $0 + $1.slots.count }) == RedisCluster.slotCount,
                view.slots.allSatisfy({ $0.ports.count == 2 })
            else { return false }
        }
        return true
    }
}
