import GatewayStore
import LiveActivity
import ScrapedMetrics
import Testing
import TimeCore

@Suite("The stages of a broadcast", .serialized)
struct StageTimeTests {
    private static let stages = ["created_at", "started_at", "first_push_at", "last_push_at", "finished_at"]

    private func times(_ answer: TestStage.Answer) -> [Int64?] {
        StageTimeTests.stages.map { answer[$0]?.string.flatMap { WallTime(rfc3339: $0) }?.milliseconds }
    }

    @Test("Each stage has its time, in order; a broadcast without pushes has no push stage")
    func order() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(100)
            let start = try #require(try await stage.status(id).elements("broadcasts").first)
            let broadcast = try #require((try start.member("broadcast_id"))?.string)
            func read(_ id: String) async throws -> TestStage.Answer {
                try await stage.read("/api/v1/live-activity/broadcasts/\(id)")
            }
            let pushed = times(try await read(broadcast)).compactMap { $0 }
            #expect(pushed.count == 5 && pushed == pushed.sorted(), "\(pushed)")
            // The activity shows the same stages.
            let listed = StageTimeTests.stages.map { (try? start.member($0))??.string != nil }
            #expect(listed == [true, true, true, true, true])

            // No device has synced, and the end is forced.
            let end = try await stage.call("end", TestStage.body(id, more: #""options":{"force":true}"#))
            #expect(end.accepted == 0, "\(end.text)")
            let nothing = times(try await read(try #require(end["broadcast_id"]?.string)))
            #expect(nothing[2] == nil && nothing[3] == nil && nothing[4] != nil, "\(nothing)")

            let page = try await stage.metrics()
            func count(_ name: String) -> Double? {
                page.value("fanfare_broadcast_stage_seconds_count", ["stage": name])
            }
            #expect(count("preparing") == 1 && count("pushing") == 1 && count("recording") == 1)
            #expect((count("queued") ?? 0) >= 1)
        }
    }
}
