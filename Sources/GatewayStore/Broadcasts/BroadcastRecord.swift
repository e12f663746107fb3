public import LiveActivity
import RedisClient
public import TimeCore

/// A broadcast as its record tells it.
public struct BroadcastRecord: Sendable {
    public let tenantID: String
    public let activityID: UniqueID
    public let kind: BroadcastKind
    public let state: BroadcastState
    public let accepted: Int
    public let failed: [(reason: String, count: Int)]
    public let skipped: [(reason: String, count: Int)]
    public let createdAt: WallTime
    public let finishedAt: WallTime?

    /// The devices that have their outcome, whatever it is.
    public var total: Int {
        accepted + failed.reduce(0) { $0 + $1.count } + skipped.reduce(0) { $0 + $1.count }
    }

    /// Accepted and failed pushes by time; nil until the broadcast has ended.
    public var pushesPerSecond: Double? {
        guard let finishedAt, finishedAt > createdAt else { return nil }
        let pushes = accepted + failed.reduce(0) { $0 + $1.count }
        let rate = Double(pushes) * 1000 / Double(finishedAt.milliseconds - createdAt.milliseconds)
        return (rate * 10).rounded() / 10
    }
}

extension GatewayStore {
    /// The record of a broadcast; nil when there is none.
    public func broadcast(_ id: UniqueID) async throws(StoreError) -> BroadcastRecord? {
        let pointer = try await value(RedisCommand("GET", Keys.broadcastPointer(id)))
        guard let activityID = pointer.string.flatMap({ UniqueID($0) }),
            let activity = try await activity(activityID)?.activity
        else { return nil }
        let reply = try await value(RedisCommand("HGETALL", Keys.broadcast(activityID, id)))
        let fields = reply.fields.reduce(into: [String: String]()) {
            $0[String(decoding: $1.name, as: UTF8.self)] = String(decoding: $1.value, as: UTF8.self)
        }
        guard let kind = fields["kind"].flatMap(BroadcastKind.init),
            let state = fields["state"].flatMap(BroadcastState.init),
            let createdAt = fields["created_at"].flatMap({ Int64($0) })
        else { return nil }
        return BroadcastRecord(
            tenantID: activity.tenantID, activityID: activityID, kind: kind, state: state,
            accepted: fields["accepted"].flatMap { Int($0) } ?? 0, failed: GatewayStore.counts(fields["failed"]),
            skipped: GatewayStore.counts(fields["skipped"]), createdAt: WallTime(milliseconds: createdAt),
            finishedAt: fields["finished_at"].flatMap { Int64($0) }.map(WallTime.init(milliseconds:)))
    }

    /// Counts by reason, spelled `reason=count,reason=count`.
    private static func counts(_ text: String?) -> [(reason: String, count: Int)] {
        (text ?? "").split(separator: ",").compactMap { part in
            let pair = part.split(separator: "=")
            guard pair.count == 2, let count = Int(pair[1]) else { return nil }
            return (String(pair[0]), count)
        }
    }
}
