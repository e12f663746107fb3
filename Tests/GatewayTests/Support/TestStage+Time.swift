import GatewayStore
import LiveActivity
import RedisClient
import Testing
import TimeCore

extension TestStage {
    /// Returns a field of an activity's hash.
    func field(_ name: String, of id: String) async throws -> String? {
        let low = try #require(UniqueID(id)).low % 64
        return try await redis(RedisCommand("HGET", "fanfare:{\(low)}:a:\(id)", name)).string
    }

    /// Waits until an activity is dead, and returns the reason.
    func died(_ id: String) async throws -> EndReason? {
        try await eventually("the activity does not end") { try await self.field("state", of: id) == "2" }
        return try await field("end_reason", of: id).flatMap { UInt8($0) }.flatMap(EndReason.init)
    }

    /// Waits until `condition` holds, for a minute at most.
    func eventually(
        _ complaint: Comment = "it never came to pass", sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        let end = MonotonicTime.now() + .seconds(60)
        while try await !condition() {
            try #require(MonotonicTime.now() < end, complaint, sourceLocation: sourceLocation)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits until no job and no unfinished broadcast is left.
    func settled() async throws {
        try await eventually("there is no end of it") {
            guard try await self.keys("fanfare:{*}:j:*").isEmpty, try await self.keys("fanfare:{*}:unfinished").isEmpty
            else {
                return false
            }
            return true
        }
    }

    /// Returns the items of all due queues.
    func due() async throws -> [String] {
        var items: [String] = []
        for key in try await keys("fanfare:{*}:due") {
            items += try await redis(RedisCommand("ZRANGE", key, 0, -1)).array?.compactMap(\.string) ?? []
        }
        return items
    }

    /// Returns the number of devices in each state.
    func statuses(_ id: String) async throws -> [UInt8: Int] {
        try await statusPage(id).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
