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

@Suite("A gateway and a store with an unsupported layout")
struct UnsupportedLayoutTests {
    private static let key = "fanfare:layout"

    @Test("No gateway starts; a running one is not ready and sends nothing", arguments: [2, 4, nil])
    func refused(_ number: Int64?) async throws {
        let log = CapturedLog()
        try await TestStage.run(
            logger: log.logger(.info), configure: { $0.surveillance.period = .milliseconds(50) }
        ) { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            #expect(try await stage.redis(RedisCommand("GET", Self.key)).int == StoredLayout.supported)
            if let number {
                _ = try await stage.redis(RedisCommand("SET", Self.key, number))
            } else {
                _ = try await stage.redis(RedisCommand("DEL", Self.key))
            }
            await #expect(throws: StoreError.unsupportedLayout(number)) {
                _ = try await Gateway.start(stage.options, logger: TestStage.silent)
            }
            try await stage.eventually {
                let ready = try await stage.ready()
                return ready.status == 503 && ready.text.contains("redis_layout")
            }
            async let update = stage.call("update", TestStage.body(id))
            try await stage.eventually { try await stage.metrics().value("fanfare_broadcasts_unfinished") == 1 }
            try await Task.sleep(for: .milliseconds(300))
            #expect(stage.pushes(.update).isEmpty)
            #expect(try await stage.redis(RedisCommand("GET", Self.key)).int == number)
            #expect(try log.read().count { $0.message == "store layout not supported" } == 1)
            _ = try await stage.redis(RedisCommand("SET", Self.key, StoredLayout.supported))
            try await stage.eventually { try await stage.ready().status == 200 }
            #expect(try await update.accepted == 1)
        }
    }
}
