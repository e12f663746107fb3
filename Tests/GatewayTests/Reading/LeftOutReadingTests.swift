import AsyncHTTPClient
import Gateway
import GatewayStore
import LiveActivity
import NIOCore
import NIOHTTP1
import RedisClient
import Testing
import TimeCore

@Suite("Reading unsent devices and paused broadcasts", .serialized)
struct LeftOutReadingTests {
    @Test("Devices that a start did not reach are unsent in counts and lists")
    func unsent() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(5)
            // The start gave one device up and never reached another.
            try await stage.setStatus(6, of: 1, in: id)
            try await stage.setStatus(1, of: 3, in: id)
            let counts = try #require(try await stage.status(id)["counts"])
            #expect(try counts.member("unsent")?.int64 == 2 && counts.member("pending")?.int64 == 3)
            #expect(try counts.member("registered")?.int64 == 0)
            let list = try await stage.read("/api/v1/live-activity/\(id)/devices?state=unsent").elements("devices")
            #expect(list.map { $0.text("insider_id") } == ["user-1", "user-3"])
            #expect(list.map { $0.text("state") } == ["unsent", "unsent"])
            // While a start runs, devices without an outcome are not unsent yet.
            let open = "fanfare:{\(try #require(UniqueID(id)).low % 64)}:a:\(id):open"
            _ = try await stage.redis(RedisCommand("HSET", open, "9", "\(UniqueID.random()):start:slots"))
            let during = try await stage.status(id)
            #expect(during["counts", "unsent"]?.int64 == 1 && during["counts", "registered"]?.int64 == 1)
            _ = try await stage.redis(RedisCommand("DEL", open))
        }
    }

    @Test("After a start of target devices, the other devices stay registered")
    func list() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(4)
            let id = try await stage.register(4)
            #expect(try await stage.status(id)["counts", "registered"]?.int64 == 4)
            let some = #""target_devices":[\#(TestStage.targets([0, 1]))]"#
            #expect(try await stage.call("start", TestStage.body(id, more: some)).accepted == 2)
            try await stage.setStatus(6, of: 1, in: id)
            let status = try await stage.status(id)
            #expect(status["counts", "registered"]?.int64 == 2 && status["counts", "unsent"]?.int64 == 1)
            #expect(status["counts", "pending"]?.int64 == 1)
        }
    }

    @Test("A paused broadcast reads paused with reason and time until it continues")
    func paused() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let start = try await stage.call("start", TestStage.body(id))
            let broadcast = try #require(start["broadcast_id"]?.string)
            let key = "fanfare:{\(try #require(UniqueID(id)).low % 64)}:a:\(id):b:\(broadcast)"
            func set(_ fields: String...) async throws {
                _ = try await stage.redis(RedisCommand("HSET", arguments: [key] + fields))
            }
            let since = WallTime(seconds: WallTime.now().seconds - 60)
            try await set(
                "kind", "start", "state", "done", "created_at", "\(since.milliseconds)", "paused", "TooManyRequests",
                "paused_at", "\(since.milliseconds)")
            let path = "/api/v1/live-activity/broadcasts/\(broadcast)"
            // An ended broadcast is not paused, even if its record has a pause.
            #expect(try await stage.read(path)["state"]?.string == "done")
            try await set("state", "running")
            let answer = try await stage.read(path)
            #expect(answer["state"]?.string == "paused" && answer["reason"]?.string == "TooManyRequests")
            #expect(answer["paused_since"]?.string == since.rfc3339)
            let summary = try #require(try await stage.status(id).elements("broadcasts").first)
            #expect(summary.text("state") == "paused" && summary.text("reason") == "TooManyRequests")
            #expect(summary.text("paused_since") == since.rfc3339)

            var request = HTTPClientRequest(url: "http://127.0.0.1:\(stage.gateways[0].port)\(path)/events")
            request.headers.add(name: "X-Api-Key", value: stage.tenant.apiKey)
            let response = try await stage.http.execute(request, timeout: .seconds(60))
            var text = ""
            for try await part in response.body {
                let isFirst = text.isEmpty
                text += String(buffer: part)
                guard isFirst else { continue }
                _ = try await stage.redis(RedisCommand("HDEL", key, "paused", "paused_at"))
                let running = try await stage.read(path)
                #expect(running["state"]?.string == "running" && running["reason"] == nil)
                #expect(running["paused_since"] == nil)
                try await set("state", "done")
            }
            #expect(text.contains("\nevent: progress\n") && text.contains(#""state":"paused","reason":"TooManyReq"#))
            #expect(text.contains(#""state":"done""#))
        }
    }
}
