import LiveActivity
import RedisClient

extension StoredErasures {
    private static let segmentAttempts = 20
    private static let segmentsAtOnce = 16
    private static let pause = Duration.milliseconds(25)

    /// Removes the user from all segments of an owner.
    /// - Returns: The names of the segments that had the user.
    func leaveSegments(
        of owner: String, _ erasure: Erasure, _ report: inout ErasureReport
    ) async throws(StoreError) -> [String] {
        var id: [UInt8] = []
        PackedName.append(erasure.insiderID, to: &id)
        var found: [String] = []
        try await forEachName(Keys.segmentNames(owner)) { (names: [String]) async throws(StoreError) in
            found += try await self.segments.holding(id, among: names, owner).map(\.name)
        }
        let outcomes = await leave(found, owner, id, erasure.insiderID)
        var left: [String] = []
        for (name, outcome) in outcomes {
            if try outcome.get() { left.append(name) } else { report.isComplete = false }
        }
        return left
    }

    /// Removes an id from segments. Several are changed concurrently, because each takes a dozen sequential steps.
    private func leave(
        _ names: [String], _ owner: String, _ id: [UInt8], _ insiderID: String
    ) async -> [(name: String, outcome: Result<Bool, StoreError>)] {
        await withTaskGroup(of: (String, Result<Bool, StoreError>).self) { group in
            var waiting = names[...]
            func begin() {
                guard let name = waiting.popFirst() else { return }
                group.addTask { (name, await self.outcomeOfLeaving(name, owner, id, insiderID)) }
            }
            for _ in 0..<StoredErasures.segmentsAtOnce { begin() }
            var outcomes: [(name: String, outcome: Result<Bool, StoreError>)] = []
            while let (name, outcome) = await group.next() {
                outcomes.append((name, outcome))
                begin()
            }
            return outcomes
        }
    }

    /// A method of its own: Swift 6.3 miscompiles a typed `do` that returns the tuple in the task (SIGSEGV with -O).
    private func outcomeOfLeaving(
        _ name: String, _ owner: String, _ id: [UInt8], _ insiderID: String
    ) async -> Result<Bool, StoreError> {
        do throws(StoreError) {
            return .success(try await leave(name, owner, id, insiderID))
        } catch {
            return .failure(error)
        }
    }

    /// Removes an id from a segment. Returns false if concurrent changes prevent it.
    private func leave(
        _ name: String, _ owner: String, _ id: [UInt8], _ insiderID: String
    ) async throws(StoreError) -> Bool {
        for _ in 0..<StoredErasures.segmentAttempts {
            guard let place = try await segments.holding(id, among: [name], owner).first else { return true }
            var run = InsiderIDRun()
            run.append(insiderID.utf8)
            var upload = SegmentUpload()
            upload.add(run)
            switch try await segments.changeSegment(name, tenantID: owner, .remove, upload) {
            case .busy: try? await Task.sleep(for: StoredErasures.pause)
            case .changed, .notFound, .tooMany:
                try await blank(place.pages, id)
                return true
            }
        }
        return false
    }

    /// Replaced pages stay for their readers. Their content is rewritten without the id.
    private func blank(_ keys: [String], _ id: [UInt8]) async throws(StoreError) {
        let pages = try await values(keys.map { RedisCommand("GET", $0) })
        var commands: [RedisCommand] = []
        for (key, page) in zip(keys, pages) {
            guard let page = page.bytes else { continue }
            var others = SegmentIDs()
            guard SegmentPage.forEach(page, { if !$0.elementsEqual(id) { others.append($0) } }) else { continue }
            commands.append(
                RedisCommand("SET", key, SegmentPage.encode(others, 0..<others.count), "XX", "KEEPTTL"))
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }
}
