import RedisClient

extension GatewayStore {
    /// Reads Redis's settings and state; in a cluster from one node. Refused commands leave their facts out. Returns
    /// nil if Redis is not reachable. Updates whether starts are held; see `StoreFacts.holdsStarts`.
    public func facts() async -> StoreFacts? {
        let replies = await redis.pipeline(
            [
                RedisCommand("INFO"), RedisCommand("CONFIG", "GET", "appendfsync"),
                RedisCommand("CONFIG", "GET", "save"),
                RedisCommand("ACL", "DRYRUN", "default", "HSET", GatewayStore.rights.key, "f", "0"),
                AppendOnlyFile.question,
            ].map { $0.asProbe() })
        var facts = StoreFacts()
        for reply in replies {
            if case .failure(let error) = reply, error.refusal == nil { return nil }
        }
        facts.info = GatewayStore.info(replies[0])
        for reply in replies[1...2] {
            guard case .success(let value) = reply, let pair = value.array, pair.count == 2, let name = pair[0].string
            else { continue }
            facts.settings[name] = pair[1].string
        }
        if case .success(let value) = replies[3], let answer = value.string {
            facts.defaultUserMayWrite = answer == "OK"
        }
        switch replies[4] {
        case .success: facts.fileWait = .offered
        case .failure(let error): facts.fileWait = error.refusal == .noPermission ? .denied : .unknown
        }
        commits.isNeeded = facts.holdsStarts
        redis.replicasFound(facts.connectedReplicas)
        facts.missingRights = redis.missingRights.map { ($0.commands, $0.remedy) }
        return facts
    }

    /// The write ahead of a wait for the append-only file or for replicas. Those waits cover the writes of their own
    /// connection.
    public static let commitMark = RedisCommand("SET", Keys.commitMark, "", "PX", 1000)

    private static func info(_ reply: Result<RedisValue, RedisError>) -> [String: String] {
        guard case .success(let value) = reply, let text = value.string else { return [:] }
        var fields: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[String(line[..<colon])] = String(line[line.index(after: colon)...])
        }
        return fields
    }
}
