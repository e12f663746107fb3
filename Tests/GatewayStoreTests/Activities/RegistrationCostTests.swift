import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

/// The number of Redis commands for many users at a time. Counts are stable, times are not.
@Suite("What a user costs who is registered or imported with many", .timeLimit(.minutes(2)))
struct RegistrationCostTests {
    /// The number of commands that all nodes have executed, including those in scripts, by name.
    static func commands(_ stage: StoreStage) async throws -> [String: Int] {
        let text = try await stage.redis.value(RedisCommand("INFO", "commandstats")).string ?? ""
        var calls: [String: Int] = [:]
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("cmdstat_") {
            let parts = line.dropFirst("cmdstat_".count).split(separator: ":")
            let count = parts.last?.split(separator: ",").first?.dropFirst("calls=".count)
            calls[String(parts[0])] = count.flatMap { Int($0) }
        }
        calls["info"] = nil
        return calls
    }

    /// The number of commands that the body executes, by name.
    static func commands(_ stage: StoreStage, _ body: () async throws -> Void) async throws -> [String: Int] {
        let before = try await commands(stage)
        try await body()
        return try await commands(stage).mapValues { $0 }.merging(before) { $0 - $1 }
    }

    @Test("Three commands for a user of a stored segment or of a list: a read, the membership, the version")
    func register() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            let count = 5000
            try await stage.addDevices(0..<count)
            try await stage.put("all", StoreStage.ids(0..<count))
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(3600))
            let ofSegment = try await Self.commands(stage) {
                _ = try await stage.store.activities.register(
                    registration, segment: "all", tenantID: stage.tenant, checkpoint: {})
            }
            let ofList = try await Self.commands(stage) { _ = try await stage.register(0..<count) }
            for taken in [ofSegment, ofList] {
                #expect(taken["hgetall"] ?? 0 <= count + 50, "\(taken)")
                #expect(taken.values.reduce(0, +) <= 3 * count + 300, "\(taken)")
                #expect(taken["evalsha"] ?? 0 < 10, "\(taken)")
            }
        }
    }
}
