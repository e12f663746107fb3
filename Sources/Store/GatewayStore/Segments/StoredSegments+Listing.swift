import LiveActivity
import RedisClient
import TimeCore

extension StoredSegments {
    /// The summary of a stored segment; nil if it does not exist.
    public func segment(_ name: String, tenantID: String) async throws(StoreError) -> SegmentSummary? {
        StoredSegments.summary(name, try await value(StoredSegments.summaryRead(name, tenantID)))
    }

    /// The most segments of one tenant.
    public static let maximumSegments = ScriptLimits.segments

    /// The most segments in one listing.
    public static let longestSegmentListing = 1000

    /// A page of the tenant's segments in the order of their names.
    /// - Parameter after: The last name of the former page; nil for the beginning.
    /// - Returns: The segments, and the name for `after` of the next page; nil if there is none.
    public func segments(
        tenantID: String, limit: Int, after: String?
    ) async throws(StoreError) -> (segments: [SegmentSummary], next: String?) {
        let reply = try await value(
            RedisCommand(
                "ZRANGEBYLEX", Keys.segmentNames(tenantID), after.map { "(\($0)" } ?? "-", "+", "LIMIT", 0, limit + 1))
        let all = (reply.array ?? []).compactMap(\.string)
        let names = Array(all.prefix(limit))
        let replies = try await values(names.map { StoredSegments.summaryRead($0, tenantID) })
        // A segment that was deleted in the meantime is skipped.
        let segments = zip(names, replies).compactMap { StoredSegments.summary($0, $1) }
        return (segments, all.count > limit ? names.last : nil)
    }

    private static func summaryRead(_ name: String, _ tenantID: String) -> RedisCommand {
        RedisCommand("HMGET", Keys.segment(tenantID, name), "users", "updated_at")
    }

    private static func summary(_ name: String, _ reply: RedisValue) -> SegmentSummary? {
        guard let parts = reply.array, parts.count == 2, let users = parts[0].int, let time = parts[1].int else {
            return nil
        }
        return SegmentSummary(name: name, users: Int(users), updatedAt: WallTime(milliseconds: time))
    }

    /// Returns false if the segment does not exist.
    public func deleteSegment(_ name: String, tenantID: String) async throws(StoreError) -> Bool {
        let writer = UniqueID.random()
        let call = Scripts.deleteSegment(
            segment: Keys.segment(tenantID, name), names: Keys.segmentNames(tenantID),
            cleanups: Keys.segmentCleanups(tenantID), writer: writer.description, name: name,
            now: wallClock().milliseconds)
        guard try await run(call) else { return false }
        await doCleanup(writer, tenantID: tenantID)
        return true
    }

    /// Returns nil if the segment does not exist.
    func segmentRoot(_ name: String, tenantID: String) async throws(StoreError) -> SegmentRoot? {
        let fields = try await value(RedisCommand("HGETALL", Keys.segment(tenantID, name))).fields
        guard !fields.isEmpty else { return nil }
        guard let root = SegmentRoot(fields), root.isWhole else { throw .damaged("a stored segment") }
        return root
    }

    /// Reads the packed ids of pages, which outlive their segment for its readers.
    /// - Throws: `StoreError.unavailable` if a page has expired.
    func segmentPages(_ keys: [String]) async throws(StoreError) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        for reply in try await values(keys.map { RedisCommand("GET", $0) }) {
            guard let page = reply.bytes else { throw .unavailable("a segment was replaced while it was read") }
            pages.append(page)
        }
        return pages
    }
}
