import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("GET activities", .serialized)
struct ActivityReadingTests {
    private func list(_ stage: TestStage, _ query: String, key: String? = nil) async throws -> TestStage.Answer {
        try await stage.read("/api/v1/live-activity\(query)", key: key)
    }

    private func ids(_ answer: TestStage.Answer) -> [String] {
        answer.elements("activities").map { $0.text("activity_id") ?? "" }
    }

    private func counts(_ answer: TestStage.Answer) -> [String: Int] {
        var counts: [String: Int] = [:]
        for state in DeviceState.allCases {
            let count = answer["counts", state.rawValue]?.int64 ?? -1
            if count != 0 { counts[state.rawValue] = Int(count) }
        }
        for reason in EndReason.allCases {
            if let count = answer["counts", "ended_by", reason.name]?.int64 { counts[reason.name] = Int(count) }
        }
        return counts
    }

    @Test("An activity shows its state, its times and its devices by state, from register to its end")
    func life() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(1000)
            let id = try await stage.register(1000, options: #"{"activity_id_attribute":"aid"}"#)
            let registered = try await stage.status(id)
            #expect(registered.status == 200, "\(registered.text)")
            #expect(registered["status"]?.string == "success" && registered["activity_id"]?.string == id)
            #expect(registered["activity_type"]?.string == TestStage.type)
            #expect(registered["state"]?.string == "REGISTERED")
            #expect(registered["users"]?.int64 == 1000 && registered["devices"]?.int64 == 1000)
            #expect(registered["options", "activity_id_attribute"]?.string == "aid")
            #expect(registered["broadcasts"]?.elementCount == 0)
            #expect(registered["started_at"] == nil && registered["ended_at"] == nil && registered["end_reason"] == nil)
            #expect(counts(registered) == ["registered": 1000])
            for field in ["created_at", "ends_at"] {
                #expect(registered[field]?.string.flatMap { WallTime(rfc3339: $0) } != nil, "\(field)")
            }

            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 1000)
            try await stage.syncAll(0..<30, id)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 30)
            let started = try await stage.status(id, gateway: 1)
            #expect(started["state"]?.string == "STARTED" && started["updates_this_hour"]?.int64 == 1)
            #expect(started["started_at"]?.string.flatMap { WallTime(rfc3339: $0) } != nil)
            #expect(counts(started) == ["pending": 970, "active": 30])
            let broadcasts = started.elements("broadcasts")
            #expect(broadcasts.map { $0.text("kind") } == ["update", "start"])
            #expect(broadcasts.map { $0.text("state") } == ["done", "done"])
            let sent = [update["broadcast_id"]?.string, start["broadcast_id"]?.string]
            #expect(broadcasts.map { $0.text("broadcast_id") } == sent)
            let accepted = broadcasts.map { (try? $0.member("accepted")).flatMap { $0 }?.int64 }
            #expect(accepted == [30, 1000])

            let some = TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([0, 1]))]"#)
            #expect(try await stage.call("end", some).accepted == 2)
            #expect(try await stage.dismiss(2, #""activity_id":"\#(id)""#).status == 200)
            #expect(
                try await counts(stage.status(id)) == [
                    "pending": 970, "active": 27, "ended": 3, "ended_by_api": 2, "user_dismissed": 1,
                ])

            #expect(try await stage.call("end", TestStage.body(id)).accepted == 27)
            let dead = try await stage.status(id)
            #expect(dead.status == 200 && dead["state"]?.string == "DEAD")
            #expect(dead["end_reason"]?.string == "ended_by_api")
            #expect(dead["ended_at"]?.string.flatMap { WallTime(rfc3339: $0) } != nil)
            #expect(
                counts(dead) == ["pending": 970, "ended": 30, "ended_by_api": 29, "user_dismissed": 1], "\(dead.text)")
            #expect(try await stage.call("update", TestStage.body(id)).status == 404)
        }
    }

    @Test("A cancelled activity is dead, ended by the API")
    func cancelled() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            #expect(try await stage.call("end", TestStage.body(id, content: nil)).status == 200)
            let status = try await stage.status(id)
            #expect(status["state"]?.string == "DEAD" && status["end_reason"]?.string == "ended_by_api")
            #expect(status["started_at"] == nil && counts(status) == ["registered": 2])
        }
    }

    @Test("A token that the provider calls dead ends the Live Activity until the device reports another")
    func deadToken() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            stage.mock.setScript(.unregistered(TestStage.hex(TestStage.updateToken(1))))
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            let dead = try await stage.status(id)
            #expect(counts(dead) == ["active": 1, "ended": 1, "token_invalid": 1], "\(dead.text)")
            let devices = try await stage.read("/api/v1/live-activity/\(id)/devices?state=ended")
            #expect(devices.text.contains(#""end_reason":"token_invalid","last_outcome":"Unregistered""#))
            #expect(try await stage.sync(1, id, token: [7, 7, 7]).status == 200)
            #expect(try await counts(stage.status(id)) == ["active": 2])
        }
    }

    @Test("Another tenant's activity is not found, like an unknown one")
    func foreign() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            let unknown = NamedThings.unknown.activity
            for (activity, key) in [(id, other.apiKey), (unknown, stage.tenant.apiKey), ("x", stage.tenant.apiKey)] {
                let answer = try await stage.read("/api/v1/live-activity/\(activity)", key: key)
                #expect(answer.status == 404 && answer.code == "NOT_FOUND")
                #expect(answer.headers["x-ratelimit-remaining"] != nil)
            }
            #expect(try await ids(list(stage, "", key: other.apiKey)).isEmpty)
            #expect(try await list(stage, "", key: "ffk_none").status == 401)
        }
    }

    @Test("Activities are listed newest first, page by page, each once, also while new ones come; by state and by type")
    func listing() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(1)
            var all: [String] = []
            for _ in 0..<25 {
                all.insert(try await stage.register(1), at: 0)
                // Activities of one millisecond have no newest one.
                try await Task.sleep(for: .milliseconds(2))
            }
            for id in all[0..<3] { #expect(try await stage.call("start", TestStage.body(id)).status == 200) }
            for id in all[2..<5] {
                let end = TestStage.body(id, content: nil, more: #""options":{"force":true}"#)
                #expect(try await stage.call("end", end).status == 200)
            }
            var listed: [String] = []
            var query = "?limit=10"
            for page in 0..<3 {
                let answer = try await list(stage, query)
                #expect(answer.status == 200, "\(answer.text)")
                listed += ids(answer)
                let cursor = answer["cursor"]?.string
                #expect((cursor == nil) == (page == 2))
                query = "?limit=10&cursor=\(cursor ?? "")"
                // Comes before everything that was listed.
                _ = try await stage.register(1)
            }
            #expect(listed == all)
            #expect(try await ids(list(stage, "?state=STARTED")) == Array(all[0..<2]))
            let dead = try await list(stage, "?state=DEAD&activity_type=\(TestStage.type)")
            #expect(ids(dead) == Array(all[2..<5]))
            #expect(dead.text.contains(#""state":"DEAD""#) && dead.text.contains(#""end_reason":"ended_by_api""#))
            #expect(try await ids(list(stage, "?state=REGISTERED&limit=1000")).count == 23)
            #expect(try await ids(list(stage, "?activity_type=Other")).isEmpty)
            #expect(try await ids(list(stage, "")).count == 28)
        }
    }

    @Test("Wrong parameters of a listing are named")
    func wrongParameters() async throws {
        try await TestStage.run { stage in
            let wrong = [
                ("?state=started", "state"), ("?state=", "state"), ("?limit=0", "limit"), ("?limit=1001", "limit"),
                ("?limit=ten", "limit"), ("?cursor=abc", "cursor"), ("?cursor=", "cursor"),
                ("?activity_type=", "activity_type"), ("?external_id=e", "external_id"),
            ]
            for (query, name) in wrong {
                let answer = try await list(stage, query)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(query)")
                #expect(answer["error"]?.string?.hasPrefix("\(name) must be") == true, "\(answer.text)")
            }
            try await stage.addDevices(1)
            for _ in 0..<2 { _ = try await stage.register(1) }
            let cursor = try #require(try await list(stage, "?limit=1")["cursor"]?.string)
            let named = try await list(stage, "?external_id=e&activity_type=T&cursor=\(cursor)")
            #expect(named.code == "VALIDATION_FAILED", "\(named.text)")
        }
    }

    @Test("A broadcast shows its times of record, start and end")
    func broadcastTimes() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<2, id)
            let update = try await stage.call("update", TestStage.body(id))
            let location = "/api/v1/live-activity/broadcasts/\(update["broadcast_id"]?.string ?? "")"
            let status = try await stage.read(location)
            let times = ["created_at", "started_at", "finished_at"].map {
                status[$0]?.string.flatMap { WallTime(rfc3339: $0) }
            }
            #expect(!times.contains(nil), "\(status.text)")
            #expect(times.compactMap { $0 } == times.compactMap { $0 }.sorted())
            #expect(status["kind"]?.string == "update" && status["state"]?.string == "done")
            #expect(status["total"]?.int64 == 3 && status["accepted"]?.int64 == 2)
            #expect(status["pushes_per_second"]?.kind == .number, "\(status.text)")
            #expect(status["skipped", "not_synced"]?.int64 == 1)
        }
    }

    @Test("Each device shows the outcome and the time of its last push")
    func outcomes() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<2, id)
            stage.mock.setScript(.unregistered(TestStage.hex(TestStage.updateToken(1))))
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            let answer = try await stage.read("/api/v1/live-activity/\(id)/devices")
            let devices = answer.elements("devices")
            #expect(devices.map { $0.text("last_outcome") } == ["accepted", "Unregistered", "accepted"])
            for device in devices {
                let time = device.text("last_outcome_at").flatMap { WallTime(rfc3339: $0) }
                #expect(abs((time?.seconds ?? 0) - WallTime.now().seconds) < 300)
            }
        }
    }
}
