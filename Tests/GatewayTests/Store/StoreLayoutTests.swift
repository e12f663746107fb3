import Foundation
import Gateway
import GatewayStore
import Logging
import MockAPNs
import RedisClient
import ScrapedMetrics
import TestSupport
import Testing
import TimeCore

@Suite("A gateway and the layout of its store")
struct StoreLayoutTests {
    private static let key = "fanfare:layout"

    /// The keys of an activity's roster that are pages; without those of start tokens, which go when the start is over.
    private func pages(_ stage: TestStage, _ id: String) async throws -> Int {
        try await stage.keys("fanfare:{\(id).0}:*").count { [":u:0", ":f:0", ":i:0"].contains($0.suffix(4)) }
    }

    @Test("While the store has the first layout gateways write that; they hear of the upgrade, and lose nobody over it")
    func upgrade() async throws {
        let log = CapturedLog()
        try await TestStage.run(
            gateways: 2, logger: log.logger(.info), configure: { $0.surveillance.period = .milliseconds(50) }
        ) { stage in
            try await stage.addDevices(3)
            #expect(try !log.read().contains { $0.message.contains("layout") }, "nothing has changed")
            // As a version without layouts leaves it.
            _ = try await stage.redis(RedisCommand("DEL", Self.key))
            let stores = stage.gateways.map(\.store)
            try await stage.eventually { stores.allSatisfy { $0.layout.current == .keyed } }
            let before = try await stage.started(1)
            try await stage.syncAll(0..<1, before)
            #expect(try await pages(stage, before) == 3)

            #expect(try await stage.setup.store.layout.upgrade() == .keyed)
            try await stage.eventually { stores.allSatisfy { $0.layout.current == .newest } }
            #expect(
                try log.read().contains {
                    $0.message == "store layout changed" && $0.metadata["layout"] == "\(StoreLayout.newest)"
                })
            let after = try await stage.started(1)
            try await stage.syncAll(0..<1, after)
            #expect(try await pages(stage, after) == 0)
            for (number, id) in [before, after].enumerated() {
                let update = try await stage.call("update", TestStage.body(id), gateway: number)
                #expect(update.accepted == 1, "\(update.text)")
                #expect(try await stage.call("end", TestStage.body(id), gateway: 1 - number).accepted == 1)
            }
        }
    }

    @Test(
        "A gateway does not start on the layout of a later version; while the store has one it is not ready, and sends nothing"
    )
    func later() async throws {
        try await TestStage.run(configure: { $0.surveillance.period = .milliseconds(50) }) { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let later = StoreLayout.newest.rawValue + 1
            _ = try await stage.redis(RedisCommand("SET", Self.key, later))
            await #expect(throws: StoreError.newerLayout(Int64(later))) {
                _ = try await Gateway.start(stage.options, logger: TestStage.silent)
            }
            try await stage.eventually {
                let ready = try await stage.send("GET", "/health/ready", nil, headers: [:])
                return ready.status == 503 && ready.text.contains("redis_layout")
            }
            async let update = stage.call("update", TestStage.body(id))
            try await stage.eventually { try await stage.metrics().value("fanfare_broadcasts_unfinished") == 1 }
            try await Task.sleep(for: .milliseconds(300))
            #expect(stage.pushes(.update).isEmpty)
            _ = try await stage.redis(RedisCommand("SET", Self.key, StoreLayout.newest.rawValue))
            try await stage.eventually { try await stage.send("GET", "/health/ready", nil, headers: [:]).status == 200 }
            #expect(try await update.accepted == 1)
        }
    }
}
