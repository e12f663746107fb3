import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisServerProcess
import Testing
import TimeCore

@Suite("Redis goes and comes back", .serialized)
struct StoreOutageTests {
    @Test("Without Redis: 503 STORE_UNAVAILABLE quickly; with Redis again: served without a restart")
    func killedAndRestarted() async throws {
        try await TestStage.run { stage in
            #expect(try await stage.call("start", "{").code == "BAD_REQUEST")
            stage.redisServer.kill()
            let start = MonotonicTime.now()
            for _ in 0..<20 {
                let answer = try await stage.call("start", "{")
                #expect(answer.status == 503 && answer.code == "STORE_UNAVAILABLE", "\(answer.text)")
                #expect(answer.headers["retry-after"] != nil)
            }
            let sdk = try await stage.report("POST", "sync", "{")
            #expect(sdk.status == 503 && sdk.code == "STORE_UNAVAILABLE")
            #expect(try await stage.send("GET", "/health/ready", nil, headers: [:]).status == 503)
            #expect(try await stage.send("GET", "/health/live", nil, headers: [:]).status == 200)
            #expect((MonotonicTime.now() - start) < .seconds(30))
            try await stage.redisServer.start()
            // The store is a new one, so the key is unknown: that answer comes from Redis.
            try await eventually { try await stage.call("start", "{").status == 401 }
        }
    }

    @Test("A Redis that hangs is answered with 503 within the command's deadline, and served again when it goes on")
    func paused() async throws {
        try await TestStage.run(configure: { $0.redisTimeout = .milliseconds(300) }) { stage in
            stage.redisServer.pause()
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for _ in 0..<50 { group.addTask { try await stage.call("start", "{") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.code == "STORE_UNAVAILABLE" })
            stage.redisServer.resume()
            try await eventually { try await stage.call("start", "{").code == "BAD_REQUEST" }
        }
    }

    /// Waits until something is so, at most for a generous time.
    private func eventually(_ condition: () async throws -> Bool) async throws {
        let end = MonotonicTime.now() + .seconds(20)
        while MonotonicTime.now() < end {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it never came to pass")
    }
}
