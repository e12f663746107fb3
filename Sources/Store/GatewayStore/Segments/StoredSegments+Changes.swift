import LiveActivity
import RedisClient
public import TimeCore

/// The result of a change of a stored segment.
public enum SegmentOutcome: Equatable, Sendable {
    /// The segment has changed. `users` is its new size, `difference` the growth (negative if it shrank).
    case changed(users: Int, difference: Int, at: WallTime)
    case notFound
    /// A concurrent change is in progress. Nothing has changed.
    case busy
    /// The tenant has as many segments as it may.
    case tooMany
}

extension StoredSegments {
    /// The kinds of change of a stored segment.
    public enum SegmentChangeKind: Sendable {
        case add, remove
    }

    /// Replaces the whole segment with the upload, in one step. Of concurrent calls, the last one wins. The caller
    /// discards the upload's keys.
    public func replaceSegment(
        _ name: String, tenantID: String, with upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome {
        var draft = SegmentDraft(partitions: SegmentGeometry.partitions(ids: upload.count))
        for batch in batches(upload, draft.partitions) {
            let runs = try await runs(of: upload, batch, draft.partitions)
            var commands: [RedisCommand] = []
            for partition in batch {
                guard let run = runs[partition] else { continue }
                var ids = SegmentIDs()
                for run in run { ids.append(run) }
                ids.normalize()
                commands += draft.add(ids, partition: partition)
            }
            _ = try await values(commands)
        }
        return try await carryThrough(draft, name, tenantID, over: nil)
    }

    /// Adds or removes the upload's users, in one step. The caller discards the upload's keys.
    public func changeSegment(
        _ name: String, tenantID: String, _ kind: SegmentChangeKind, _ upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome {
        // The lock only keeps small changes from overtaking a large one forever. The version reveals concurrent
        // changes.
        guard let lock = try await StoreLock.take(Keys.segmentLock(tenantID, name), in: redis) else { return .busy }
        let result: Result<SegmentOutcome, StoreError>
        do throws(StoreError) {
            result = .success(try await changed(name, tenantID, kind, upload))
        } catch {
            result = .failure(error)
        }
        await lock.giveBack()
        return try result.get()
    }

    private func changed(
        _ name: String, _ tenantID: String, _ kind: SegmentChangeKind, _ upload: SegmentUpload
    ) async throws(StoreError) -> SegmentOutcome {
        guard let root = try await segmentRoot(name, tenantID: tenantID) else { return .notFound }
        let wanted = kind == .add ? SegmentGeometry.partitions(ids: root.users + upload.count) : 1
        let partitions = max(root.partitions, wanted)
        var draft = SegmentDraft(partitions: partitions)
        let isRebuilt = partitions != root.partitions
        var users = root.users
        for batch in batches(upload, partitions, all: isRebuilt) {
            let runs = try await runs(of: upload, batch, partitions)
            var commands: [RedisCommand] = []
            for partition in batch {
                let old = try await ids(of: root, partition: partition, partitions)
                var delta = SegmentIDs()
                for run in runs[partition] ?? [] { delta.append(run) }
                delta.normalize()
                var new = old
                switch kind {
                case .add:
                    for index in 0..<delta.count { new.append(delta.id(index)) }
                    new.normalize()
                case .remove:
                    new = old.subtracting(delta)
                }
                users += new.count - old.count
                guard isRebuilt || new.count != old.count else { continue }
                commands += draft.add(new, partition: partition)
            }
            _ = try await values(commands)
        }
        guard !draft.parts.isEmpty else {
            // The change adds and removes no user.
            guard let summary = try await segment(name, tenantID: tenantID) else { return .notFound }
            return .changed(users: root.users, difference: 0, at: summary.updatedAt)
        }
        return try await carryThrough(draft, name, tenantID, over: (root, users, isRebuilt))
    }

    /// Installs a draft as the segment.
    /// - Parameter base: The segment under the draft and the new number of users; nil to replace the whole segment.
    private func carryThrough(
        _ draft: SegmentDraft, _ name: String, _ tenantID: String,
        over base: (root: SegmentRoot, users: Int, isRebuilt: Bool)?
    ) async throws(StoreError) -> SegmentOutcome {
        try await doLeftCleanups(tenantID: tenantID)
        let written = draft.written
        let now = wallClock()
        let writer = draft.writer.description
        let cleanup = SegmentCleanup(.writing, notedAt: now, parts: written)
        _ = try await value(RedisCommand("HSET", Keys.segmentCleanups(tenantID), writer, cleanup.bytes))
        try await keep(written)
        let users = base?.users ?? draft.users
        let call = Scripts.installSegment(
            segment: Keys.segment(tenantID, name), names: Keys.segmentNames(tenantID),
            cleanups: Keys.segmentCleanups(tenantID), writer: writer, name: name,
            expected: base?.root.version ?? "", users: users, now: now.milliseconds, partitions: draft.partitions,
            replaces: base?.isRebuilt == false ? "0" : "1",
            parts: draft.parts.flatMap { partition, part -> [any RedisArgumentConvertible] in
                [partition, part?.bytes ?? []]
            })
        let reply = try await run(call)
        if reply != .installed {
            // Nothing refers to the written pages.
            try await expire(written)
            _ = try await value(RedisCommand("HDEL", Keys.segmentCleanups(tenantID), writer))
        }
        switch reply {
        case .installed:
            await doCleanup(draft.writer, tenantID: tenantID)
            return .changed(users: users, difference: users - (base?.root.users ?? 0), at: now)
        case .raced: return .busy
        case .unknown: return .notFound
        case .tooMany: return .tooMany
        case .takenOver: throw .unavailable("the change took too long")
        }
    }

    /// Makes the pages of an upload last, which expire until then.
    private func keep(_ written: [(partition: Int, part: SegmentPart)]) async throws(StoreError) {
        for start in stride(from: 0, to: written.count, by: 500) {
            let keys = written[start..<min(written.count, start + 500)].flatMap { $0.part.keys($0.partition) }
            for reply in try await values(keys.map { RedisCommand("PERSIST", $0) }) where reply.int != 1 {
                throw .unavailable("a part of the upload is gone")
            }
        }
    }

    /// Returns the partitions that the upload touches, or all of them, in batches that fit in memory.
    private func batches(_ upload: SegmentUpload, _ partitions: Int, all: Bool = false) -> [[Int]] {
        var batches: [[Int]] = []
        var room = 0
        for partition in 0..<partitions {
            let bytes = SegmentGeometry.buckets(of: partition, in: partitions).reduce(0) { $0 + upload.bytes($1) }
            guard all || bytes > 0 else { continue }
            if bytes > room || batches.last.map({ $0.count >= 64 }) ?? true {
                batches.append([])
                room = SegmentUpload.memory
            }
            room -= bytes
            batches[batches.count - 1].append(partition)
        }
        return batches
    }

    /// Reads the upload's ids by partition.
    private func runs(
        of upload: SegmentUpload, _ batch: [Int], _ partitions: Int
    ) async throws(StoreError) -> [Int: [InsiderIDRun]] {
        let buckets = batch.map { SegmentGeometry.buckets(of: $0, in: partitions) }.joined()
        var runs: [Int: [InsiderIDRun]] = [:]
        for (bucket, run) in try await ids(of: upload, in: buckets) {
            runs[SegmentGeometry.partition(ofBucket: bucket, in: partitions), default: []].append(run)
        }
        return runs
    }

    /// Reads the segment's ids in a partition, out of `partitions`.
    private func ids(
        of root: SegmentRoot, partition: Int, _ partitions: Int
    ) async throws(StoreError) -> SegmentIDs {
        var ids = SegmentIDs()
        guard let part = root.part(holding: partition, of: partitions) else { return ids }
        let buckets = SegmentGeometry.buckets(of: partition, in: partitions)
        for page in try await segmentPages(part.keys(partition * root.partitions / partitions)) {
            let isWhole = SegmentPage.forEach(page) { id in
                if partitions == root.partitions || buckets.contains(SegmentGeometry.bucket(id)) { ids.append(id) }
            }
            guard isWhole else { throw .damaged("a page of a stored segment") }
        }
        return ids
    }
}
