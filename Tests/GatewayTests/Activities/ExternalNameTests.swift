import GatewayStore
import LiveActivity
import MockAPNs
import Testing

@Suite("Customers name activities by external id", .serialized)
struct ExternalNameTests {
    /// The body of a request for a route, with the name and the further fields that the route needs.
    private func request(_ route: String, _ name: String) -> String {
        switch route {
        case "schedule": body(name, more: #""event":"update","offset":600"#)
        case "schedule/cancel": "{\(name)}"
        default: body(name)
        }
    }

    /// A body that names an activity by what devices call it.
    private func body(_ name: String, more: String = "") -> String {
        #"{\#(name),"content":\#(TestStage.content)\#(more.isEmpty ? "" : ",\(more)")}"#
    }

    @Test("An update and an end by external id reach the named activity, shared or the user's own")
    func pushes() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(3)
            let own = try await stage.opened(0, "chest", scope: "user")
            _ = try await stage.opened(1, "chest", scope: "user")
            let shared = try await stage.opened(2, "chest")
            let toOwn = try await stage.call("update", body(TestStage.external("chest", of: 0)))
            #expect(toOwn.accepted == 1, "\(toOwn.text)")
            #expect(stage.pushes(.update).map(\.token) == [TestStage.hex(TestStage.updateToken(0))])
            #expect(try await stage.call("update", body(TestStage.external("chest")), gateway: 1).accepted == 1)
            #expect(stage.pushes(.update).last?.token == TestStage.hex(TestStage.updateToken(2)))
            #expect(try await stage.call("end", body(TestStage.external("chest", of: 0)), gateway: 1).accepted == 1)
            #expect(try await stage.status(own)["state"]?.string == "DEAD")
            #expect(try await stage.status(shared)["state"]?.string == "STARTED")
            #expect(stage.pushes(.end).map(\.token) == [TestStage.hex(TestStage.updateToken(0))])
            // The activity is over under its external id, too.
            #expect(try await stage.call("update", body(TestStage.external("chest", of: 0))).code == "NOT_FOUND")
        }
    }

    @Test("Schedules are made, listed and cancelled by external id, and those of another activity stay")
    func schedules() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(2)
            let own = try await stage.opened(0, "chest", scope: "user")
            _ = try await stage.opened(1, "chest")
            let scheduled = try await stage.call("schedule", request("schedule", TestStage.external("chest", of: 0)))
            #expect(scheduled.status == 200, "\(scheduled.text)")
            #expect(try await stage.call("schedule", request("schedule", TestStage.external("chest"))).status == 200)
            let path = "/api/v1/live-activity/schedule?external_id=chest&activity_type=\(TestStage.type)"
            let listed = try await stage.read("\(path)&insider_id=\(TestStage.key(0).insiderID)", gateway: 1)
            #expect(listed["activity_id"]?.string == own && listed["schedules"]?.elementCount == 1, "\(listed.text)")
            let cancelled = try await stage.call("schedule/cancel", "{\(TestStage.external("chest", of: 0))}")
            #expect(cancelled["canceled"]?.int64 == 1, "\(cancelled.text)")
            #expect(try await stage.read(path)["schedules"]?.elementCount == 1)
        }
    }

    @Test("The listing finds the shared activity, and with insider_id the user's own")
    func listing() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let own = try await stage.opened(0, "chest", scope: "user")
            let shared = try await stage.opened(0, "chest")
            let query = "?external_id=chest&activity_type=\(TestStage.type)"
            #expect(try await stage.listed(query) == [shared])
            #expect(try await stage.listed("\(query)&insider_id=\(TestStage.key(0).insiderID)") == [own])
            #expect(try await stage.listed("\(query)&insider_id=\(TestStage.key(1).insiderID)").isEmpty)
            #expect(try await stage.listed("\(query)&state=DEAD&insider_id=\(TestStage.key(0).insiderID)").isEmpty)
        }
    }

    @Test("Unopened activities, another type and another tenant's activities are not found on every route")
    func unknown() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            _ = try await stage.opened(0, "chest")
            _ = try await stage.opened(0, "own", scope: "user")
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            let type = #""activity_type":"Other","external_id":"chest""#
            for route in ["update", "end", "schedule", "schedule/cancel"] {
                for name in [
                    TestStage.external("none"), TestStage.external("chest", of: 0), TestStage.external("own"), type,
                ] {
                    let answer = try await stage.call(route, request(route, name))
                    #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(route) \(name): \(answer.text)")
                }
                for name in [TestStage.external("chest"), TestStage.external("own", of: 0)] {
                    let answer = try await stage.call(
                        route, request(route, name), headers: ["X-Api-Key": other.apiKey])
                    let unknown = try await stage.call(route, request(route, TestStage.external("none")))
                    #expect(answer.status == 404 && answer["error"]?.string == unknown["error"]?.string, "\(route)")
                }
            }
            let path = "/api/v1/live-activity/schedule?activity_type=\(TestStage.type)&external_id="
            #expect(try await stage.read("\(path)none").code == "NOT_FOUND")
            #expect(try await stage.read("\(path)chest").status == 200)
        }
    }

    @Test("An external id with activity_id or without a type is refused, and so is insider_id without it")
    func fields() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.opened(0, "chest")
            let user = TestStage.key(0).insiderID
            let wrong: [(name: String, code: String)] = [
                (#"\#(TestStage.external("chest")),"activity_id":"\#(id)""#, "VALIDATION_FAILED"),
                (#""external_id":"chest""#, "ACTIVITY_TYPE_REQUIRED"),
                (#""external_id":"","activity_type":"T""#, "VALIDATION_FAILED"),
                (#""external_id":7,"activity_type":"T""#, "VALIDATION_FAILED"),
                (#"\#(TestStage.external("chest")),"insider_id":"""#, "VALIDATION_FAILED"),
                (
                    #""activity_id":"\#(id)","activity_type":"\#(TestStage.type)","insider_id":"\#(user)""#,
                    "VALIDATION_FAILED"
                ),
                (#""activity_type":"\#(TestStage.type)""#, "ACTIVITY_ID_REQUIRED"),
            ]
            for route in ["update", "end", "schedule", "schedule/cancel"] {
                for (name, code) in wrong {
                    let answer = try await stage.call(route, request(route, name))
                    #expect(answer.status == 400 && answer.code == code, "\(route) \(name): \(answer.text)")
                }
            }
            // A start makes Live Activities, and so never goes to what devices have opened.
            for (route, more) in [("start", ""), ("restart", #""devices":"unsent""#)] {
                let answer = try await stage.call(route, body(TestStage.external("chest"), more: more))
                #expect(answer.code == "VALIDATION_FAILED", "\(route): \(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix("external_id is not a valid field") == true)
            }
            for query in [
                "schedule?external_id=chest&activity_type=T&activity_id=\(id)", "schedule?external_id=chest",
                "schedule?activity_id=\(id)&insider_id=\(user)", "?external_id=chest", "?insider_id=\(user)",
                "?external_id=chest&activity_type=T&insider_id=",
            ] {
                let answer = try await stage.read("/api/v1/live-activity/\(query)")
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(query): \(answer.text)")
            }
        }
    }
}
