import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing

@Suite("Scopes of external ids", .serialized)
struct ExternalScopeTests {
    @Test("Two users' own activities and a shared one may have the same external id")
    func apart() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(4)
            let first = try await stage.opened(0, "chest", scope: "user")
            let second = try await stage.opened(1, "chest", scope: "user", gateway: 1)
            let shared = try await stage.opened(2, "chest")
            #expect(Set([first, second, shared]).count == 3)
            // Later reports find their activity. A device may be in its user's own activity and in the shared one.
            #expect(try await stage.opened(0, "chest", scope: "user", token: [7, 7], gateway: 1) == first)
            #expect(try await stage.opened(1, "chest", scope: "user") == second)
            #expect(try await stage.opened(3, "chest", scope: "shared") == shared)
            #expect(try await stage.opened(0, "chest") == shared)

            let own = try await stage.status(first)
            #expect(own["external_id"]?.string == "chest" && own["users"]?.int64 == 1, "\(own.text)")
            #expect(own["insider_id"]?.string == TestStage.key(0).insiderID)
            let all = try await stage.status(shared)
            #expect(all["external_id"]?.string == "chest" && all["users"]?.int64 == 3, "\(all.text)")
            #expect(all["insider_id"] == nil)
            #expect(try await stage.call("update", TestStage.body(second)).accepted == 1)
            #expect(stage.pushes(.update).map(\.token) == [TestStage.hex(TestStage.updateToken(1))])
        }
    }

    @Test("All devices of a user join the user's own activity, also by concurrent reports to several gateways")
    func together() async throws {
        try await TestStage.run(gateways: 3) { stage in
            let keys = (0..<6).map { DeviceKey(insiderID: "one", udid: "phone-\($0)") }
            try await stage.store.devices.importDevices(
                keys.map { ($0, TestStage.phone, nil) }, tenantID: stage.tenant.tenantID)
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for (number, key) in keys.enumerated() {
                    group.addTask {
                        let body = """
                            {"insider_id":"one","udid":"\(key.udid)","token":"\(TestStage.hex(TestStage.updateToken(number)))",
                             "activity_type":"T","external_id":"e","external_scope":"user"}
                            """
                        let answer = try await stage.report("POST", "sync", body, gateway: number % 3)
                        return answer["activity_id"]?.string ?? answer.text
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            let id = try #require(ids.first)
            let status = try await stage.status(id)
            #expect(ids.count == 1 && status["devices"]?.int64 == 6 && status["users"]?.int64 == 1, "\(status.text)")
        }
    }

    @Test("No shared name has the bytes of a user's own name")
    func spelling() throws {
        let own = ExternalName("chest", type: "T", owner: "ann")
        for (type, id) in [("T", "chest"), ("ann", "T\u{0}chest"), ("T", "chest\u{0}ann"), ("T", "\u{0}ann\u{0}chest")]
        {
            #expect(ExternalName(id, type: type).bytes != own.bytes)
        }
        #expect(ExternalName("chest", type: "T", owner: "bob").bytes != own.bytes)
        // Stores have names in this form, so it must not change.
        #expect(ExternalName("chest", type: "T").bytes == Array("T\u{0}chest".utf8))
    }

    @Test("A scope is user or shared; null means shared")
    func fields() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for scope in ["", "User", "global"] {
                let answer = try await stage.open(0, "chest", scope: scope)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(scope): \(answer.text)")
                #expect(answer["error"]?.string?.contains("external_scope") == true)
            }
            let number = TestStage.syncBody(0, TestStage.external("chest") + #","external_scope":1"#)
            #expect(try await stage.report("POST", "sync", number).code == "VALIDATION_FAILED")
            let null = TestStage.syncBody(0, TestStage.external("chest") + #","external_scope":null"#)
            let shared = try await stage.report("POST", "sync", null)
            #expect(shared["activity_id"]?.string == (try await stage.opened(0, "chest")))
        }
    }
}
