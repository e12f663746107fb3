import LiveActivity
import RedisClient
import TimeCore

// Data of a user outside the user's hash and places in activities.
extension StoredErasures {
    private static let namesAtOnce = 500

    /// Releases tokens. For a user, also deletes the data in topics, segments and events.
    public func forgetRest(_ erasure: Erasure, _ report: inout ErasureReport) async throws(StoreError) {
        try await releaseTokens(erasure, &report)
        guard erasure.isOfUser else { return }
        let tenantID = erasure.tenantID
        var topics = try await forgetWishes(erasure)
        topics.formUnion(try await leaveSegments(of: StoredTopics.listOwner(tenantID), erasure, &report))
        report.topics += topics.count
        report.segments += try await leaveSegments(of: tenantID, erasure, &report).count
        report.events += try await forgetEvents(erasure)
    }

    /// Deletes the user's topic preferences.
    /// - Returns: The names of these topics.
    private func forgetWishes(_ erasure: Erasure) async throws(StoreError) -> Set<String> {
        var topics: Set<String> = []
        try await forEachName(Keys.topicNames(erasure.tenantID)) { (names: [String]) async throws(StoreError) in
            let replies = try await self.values(
                names.map {
                    Scripts.forgetFollower(
                        topic: Keys.topic(TopicID(tenantID: erasure.tenantID, name: $0)), user: erasure.insiderID,
                        latest: erasure.erasedAt.milliseconds
                    ).command
                })
            topics.formUnion(zip(names, replies).filter { $0.1.int == 1 }.map(\.0))
        }
        return topics
    }

    /// Releases the set-aside tokens in the index of owners.
    func releaseTokens(_ erasure: Erasure, _ report: inout ErasureReport) async throws(StoreError) {
        guard let aside = try await setAside(erasure) else { return }
        var commands: [RedisCommand] = []
        for (token, device, isPresent) in aside.tokens(of: erasure.insiderID) {
            report.tokens += isPresent ? 1 : 0
            let index = TokenIndex(token, tenantID: erasure.tenantID)
            let owner = TokenOwner(device)
            commands += index.release(by: owner, asOf: erasure.erasedAt)
            // Another device may have claimed it and not yet recorded its former owner as marked.
            commands += (0..<TokenIndex.levels).map { index.settle(owner, level: $0).command }
        }
        for (digest, owner) in aside.owned {
            guard let index = TokenIndex(digest: digest, tenantID: erasure.tenantID) else { continue }
            commands += index.release(by: owner, asOf: erasure.erasedAt)
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }

    /// Checks for data that concurrent reports wrote after the erasure. If the user has come back, the new data stays.
    public func look(_ erasure: Erasure) async throws(StoreError) {
        var report = ErasureReport()
        try await releaseTokens(erasure, &report)
        guard erasure.isOfUser, try await setAside(erasure) != nil else { return }
        _ = try await forgetWishes(erasure)
        let (tenantID, insiderID) = (erasure.tenantID, erasure.insiderID)
        guard try await value(RedisCommand("EXISTS", Keys.user(tenantID, insiderID))).int == 0 else { return }
        _ = try await value(RedisCommand("DEL", Keys.waiting(tenantID, insiderID)))
        _ = try await forgetEvents(erasure, isClosing: true)
    }

    func forEachName(
        _ key: String, _ body: ([String]) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var after = "-"
        while true {
            let reply = try await value(
                RedisCommand("ZRANGEBYLEX", key, after, "+", "LIMIT", 0, StoredErasures.namesAtOnce))
            let names = (reply.array ?? []).compactMap(\.string)
            guard let last = names.last else { return }
            try await body(names)
            after = "(\(last)"
        }
    }
}
