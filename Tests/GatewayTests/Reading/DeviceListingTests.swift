import GatewayStore
import LiveActivity
import Testing

@Suite("GET devices of an activity", .serialized)
struct DeviceListingTests {
    private func get(_ stage: TestStage, _ id: String, _ query: String, key: String? = nil) async throws
        -> TestStage.Answer
    {
        try await stage.read("/api/v1/live-activity/\(id)/devices\(query)", key: key)
    }

    private func listed(_ answer: TestStage.Answer) -> [(insiderID: String, udid: String, state: String)] {
        answer.elements("devices").map {
            ($0.text("insider_id") ?? "", $0.text("udid") ?? "", $0.text("state") ?? "")
        }
    }

    @Test("All devices come, page by page, each once, with state and last outcome")
    func pages() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(250)
            try await stage.syncAll(0..<20, id)
            var udids: [String] = []
            var states: [String: Int] = [:]
            var query = "?limit=100"
            for page in 0..<3 {
                let answer = try await get(stage, id, query)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer["status"]?.string == "success")
                for device in listed(answer) {
                    udids.append(device.udid)
                    states[device.state, default: 0] += 1
                }
                let cursor = answer["cursor"]?.string
                #expect((cursor == nil) == (page == 2))
                query = "?cursor=\(cursor ?? "")&limit=100"
            }
            let isSame = udids == (0..<250).map { TestStage.key($0).udid }
            #expect(isSame)
            #expect(states == ["active": 20, "pending": 230])
            let active = try await get(stage, id, "?state=active")
            #expect(listed(active).map(\.insiderID) == (0..<20).map { TestStage.key($0).insiderID })
            #expect(active.text.contains(#""state":"active","last_outcome":"accepted""#))
            // A page has a hundred devices by default, and no more than exist.
            #expect(listed(try await get(stage, id, "")).count == 100)
            #expect(listed(try await get(stage, id, "?limit=1000")).count == 250)
            #expect(listed(try await get(stage, id, "?state=failed")).isEmpty)
        }
    }

    @Test("Wrong parameters are named, and a foreign activity is not found")
    func refusals() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            let id = try await stage.register(3)
            let wrong = [
                ("?state=dead", "state"), ("?state=", "state"), ("?limit=0", "limit"), ("?limit=1001", "limit"),
                ("?limit=ten", "limit"), ("?limit=", "limit"), ("?cursor=abc", "cursor"), ("?cursor=", "cursor"),
            ]
            for (query, name) in wrong {
                let answer = try await get(stage, id, query)
                #expect(answer.status == 400, "\(query)")
                #expect(answer.code == "VALIDATION_FAILED", "\(query)")
                #expect(answer["error"]?.string?.hasPrefix("\(name) must be") == true, "\(answer.text)")
            }
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            let unknown = NamedThings.unknown.activity
            for (activity, key) in [(id, other.apiKey), (unknown, stage.tenant.apiKey), ("x", stage.tenant.apiKey)] {
                let answer = try await get(stage, activity, "", key: key)
                #expect(answer.status == 404)
                #expect(answer.code == "NOT_FOUND")
            }
            #expect(try await get(stage, id, "", key: "ffk_none").status == 401)
            let answer = try await get(stage, id, "?state=registered")
            #expect(listed(answer).count == 3)
            #expect(!answer.text.contains("last_outcome"))
            #expect(answer["cursor"] == nil)
        }
    }
}
