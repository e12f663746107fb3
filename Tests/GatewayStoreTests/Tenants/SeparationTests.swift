import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Other tenants' things")
struct SeparationTests {
    /// The number of calls of each command since this function last ran.
    private func commands(_ stage: StoreStage) async throws -> [String: Int] {
        let text = try await stage.redis.value(RedisCommand("INFO", "commandstats")).string ?? ""
        _ = try await stage.redis.value(RedisCommand("CONFIG", "RESETSTAT"))
        return text.split(whereSeparator: \.isNewline).reduce(into: [:]) { counts, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].hasPrefix("cmdstat_"),
                let calls = parts[1].split(separator: ",").first?.dropFirst("calls=".count)
            else { return }
            let name = String(parts[0].dropFirst("cmdstat_".count))
            if !name.hasPrefix("info"), !name.hasPrefix("config") { counts[name] = Int(calls) }
        }
    }

    @Test("Somebody else's broadcast asks Redis the same as one that does not exist, and so does a device's activity")
    func work() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.register(0..<3)
            let order = try #require(try await stage.begin(.start, record))
            #expect(try await stage.store.broadcasts.broadcast(order.id, of: stage.tenant)?.id == order.id)
            let device = StoreStage.key(0)

            func asked(_ body: () async throws -> Void) async throws -> [String: Int] {
                _ = try await commands(stage)
                try await body()
                return try await commands(stage)
            }
            let foreign = try await asked {
                let found = try await stage.store.broadcasts.broadcast(order.id, of: "other")
                #expect(found == nil)
            }
            let missing = try await asked {
                let found = try await stage.store.broadcasts.broadcast(UniqueID.random(), of: "other")
                #expect(found == nil)
            }
            #expect(foreign == missing && !foreign.isEmpty, "\(foreign) \(missing)")

            let dismissed = try await asked {
                let reference = ActivityReference.id(record.activity.id, type: nil)
                let found = try await stage.store.reports.dismiss(device, reference: reference, tenantID: "other")
                #expect(found == .notFound)
            }
            let nothing = try await asked {
                let reference = ActivityReference.id(UniqueID.random(), type: nil)
                let found = try await stage.store.reports.dismiss(device, reference: reference, tenantID: "other")
                #expect(found == .notFound)
            }
            #expect(dismissed == nothing && !dismissed.isEmpty, "\(dismissed) \(nothing)")
        }
    }
}
