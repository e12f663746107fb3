import LiveActivity
import TimeCore

/// A gateway's answer to reading a topic.
struct TopicReading: Sendable, Equatable {
    /// The start of the topic when it went live.
    struct Opening: Sendable, Equatable {
        let devices: Int
        let accepted: Int
        /// The time since going live; nil while the start is running.
        let seconds: Double?
    }

    let hasEnded: Bool
    let activityID: String?
    /// The activity's devices by state.
    let states: [String: Int]
    /// The ended Live Activities by reason.
    let ends: [String: Int]
    /// True if no recent broadcast of the activity is under way.
    let isQuiet: Bool
    /// The first start among the listed broadcasts.
    let opening: Opening?

    /// Returns nil if the body is not a topic.
    init?(_ body: [UInt8]) {
        guard let root = try? JSONDocument(parsing: body).root, let state = root["state"]?.string else { return nil }
        hasEnded = state == "ended"
        activityID = root["activity_id"]?.string
        states = root["counts"]?.counts ?? [:]
        ends = root["counts"]?["ended_by"]?.counts ?? [:]
        let broadcasts = root["broadcasts"].map { Array($0.elements) } ?? []
        isQuiet = broadcasts.allSatisfy { $0.time("finished_at") != nil }
        let liveSince = root.time("live_since")
        opening = broadcasts.filter { $0["kind"]?.string == "start" }.min {
            ($0.time("created_at") ?? 0) < ($1.time("created_at") ?? 0)
        }.map { start in
            Opening(
                devices: start["total"]?.count ?? 0, accepted: start["accepted"]?.count ?? 0,
                seconds: start.time("finished_at").flatMap { end in liveSince.map { max(0, end - $0) } })
        }
    }
}

extension JSONValue {
    fileprivate subscript(_ name: String) -> JSONValue? { try? member(name) }

    fileprivate var count: Int? { int64.map { Int($0) } }

    /// The members that are numbers.
    fileprivate var counts: [String: Int] {
        var counts: [String: Int] = [:]
        for name in memberNames { counts[name] = self[name]?.count }
        return counts
    }

    /// Returns the time in seconds since 1970.
    fileprivate func time(_ name: String) -> Double? {
        self[name]?.string.flatMap { WallTime(rfc3339: $0) }.map { Double($0.milliseconds) / 1000 }
    }
}
