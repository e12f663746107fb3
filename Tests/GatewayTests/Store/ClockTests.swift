import Logging
import Testing
import TimeCore

@testable import Gateway
@testable import GatewayStore

@Suite("The clock of a gateway")
struct ClockTests {
    @Test("A gateway takes the time from its clock")
    func injected() async throws {
        try await TestStage.run(gateways: 2, clock: TestClock()) { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            try #require(try await stage.call("update", TestStage.body(id)).accepted == 2)
            stage.clock?.advance(seconds: 7140)
            let last = try await stage.call("update", TestStage.body(id), gateway: 1)
            #expect(last.accepted == 2, "\(last.text)")
            stage.clock?.advance(seconds: 61)
            for gateway in 0..<2 {
                #expect(try await stage.call("update", TestStage.body(id), gateway: gateway).code == "NOT_FOUND")
            }
        }
    }

    @Test("A step of Redis's clock is logged, with its size", arguments: [60, -60] as [Int64])
    func step(seconds: Int64) async throws {
        let log = CapturedLog()
        try await TestStage.run { stage in
            let clock = StoreClock(maximumSkew: .seconds(1))
            let now = MonotonicTime.now()
            clock.answered((WallTime.now().milliseconds - seconds * 1000) * 1000, sent: now, received: now)
            let watch = StoreWatch(
                store: stage.store, clients: [], clock: clock, settings: stage.options.surveillance,
                logger: log.logger(.warning))
            for _ in 0..<2 { _ = try? await watch.confirm() }
            let lines = try log.read().filter { $0.message == "Redis clock set" }
            let step = try #require(lines.first?.metadata["step_ms"].flatMap { Int64($0) })
            #expect(lines.count == 1 && abs(step - seconds * 1000) < 1000, "\(step)")
        }
    }
}
