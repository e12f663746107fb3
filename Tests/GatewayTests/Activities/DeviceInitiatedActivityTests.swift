import GatewayStore
import LiveActivity
import MockAPNs
import TestSupport
import Testing
import TimeCore

@Suite("Activities that devices open by themselves", .serialized)
struct DeviceInitiatedActivityTests {
    private func open(
        _ stage: TestStage, _ number: Int, _ externalID: String = "order-1", type: String = TestStage.type,
        token: [UInt8]? = nil, more: String = "", gateway: Int = 0
    ) async throws -> TestStage.Answer {
        let reference = #""activity_type":"\#(type)","external_id":"\#(externalID)"\#(more)"#
        let body = TestStage.syncBody(number, reference, token: token)
        return try await stage.report("POST", "sync", body, gateway: gateway)
    }

    @Test("The first report makes an activity that is started, lives a week, and can be updated and ended")
    func life() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(3)
            let first = try await open(stage, 0)
            #expect(first.status == 200, "\(first.text)")
            let id = try #require(first["activity_id"]?.string)
            #expect(try await open(stage, 1, gateway: 1)["activity_id"]?.string == id)
            #expect(try await open(stage, 0)["activity_id"]?.string == id)
            let status = try await stage.status(id)
            #expect(status["state"]?.string == "STARTED" && status["external_id"]?.string == "order-1")
            #expect(status["devices"]?.int64 == 2 && status["users"]?.int64 == 2, "\(status.text)")
            #expect(status["counts", "active"]?.int64 == 2 && status["counts", "pending"]?.int64 == 0)
            let times = ["started_at", "ends_at"].compactMap { status[$0]?.string.flatMap { WallTime(rfc3339: $0) } }
            try #require(times.count == 2)
            #expect(times[1].seconds - times[0].seconds == 7 * 86_400)
            // The customer's own listing has what the customer has opened.
            #expect(try await stage.listed("").isEmpty)
            #expect(try await stage.listed("?opened_by=customer").isEmpty)
            #expect(try await stage.listed("?opened_by=any") == [id])
            #expect(try await stage.listed("?opened_by=device") == [id])
            #expect(try await stage.listed("?external_id=order-1&activity_type=\(TestStage.type)") == [id])
            #expect(try await stage.listed("?external_id=order-2&activity_type=\(TestStage.type)").isEmpty)

            #expect(try await stage.call("update", TestStage.body(id)).accepted == 2)
            let tokens = Set(stage.pushes(.update).map(\.token))
            #expect(tokens == [TestStage.hex(TestStage.updateToken(0)), TestStage.hex(TestStage.updateToken(1))])
            // A device that joins between two updates is in the second.
            #expect(try await open(stage, 2)["activity_id"]?.string == id)
            #expect(try await stage.call("update", TestStage.body(id), gateway: 1).accepted == 3)
            // A sync by id, as of any activity.
            #expect(try await stage.sync(2, id, token: [9, 9]).status == 200)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 3)
            #expect(try await stage.status(id)["counts", "ended_by", "ended_by_api"]?.int64 == 3)
        }
    }

    @Test("An activity that a device opened refuses start, add-users and remove-users")
    func refused() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let id = try #require(try await open(stage, 0)["activity_id"]?.string)
            #expect(try await stage.call("start", TestStage.body(id)).code == "ALREADY_STARTED")
            for route in ["add-users", "remove-users"] {
                let body = """
                    {"activity_id":"\(id)","activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(1..<2))]}
                    """
                #expect(try await stage.call(route, body).code == "ALREADY_STARTED", "\(route)")
            }
        }
    }

    @Test("Many devices with one external id that report at once to several gateways join one activity, each once")
    func together() async throws {
        try await TestStage.run(gateways: 3) { stage in
            let count = 120
            var random = TestSeed.generator()
            try await stage.addDevices(count)
            // Each reports three times, to each gateway once, all at the same time.
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for number in (0..<count).shuffled(using: &random) {
                    for gateway in 0..<3 {
                        group.addTask {
                            let answer = try await open(stage, number, gateway: gateway)
                            try #require(answer.status == 200, "\(answer.text)")
                            return answer["activity_id"]?.string ?? ""
                        }
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            let id = try #require(ids.first)
            #expect(try await stage.listed("?opened_by=device") == [id])
            let status = try await stage.status(id)
            #expect(status["devices"]?.int64 == Int64(count) && status["users"]?.int64 == Int64(count))
            #expect(status["counts", "active"]?.int64 == Int64(count), "\(status.text)")
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == count)
            let tokens = stage.pushes(.update).map(\.token).sorted()
            #expect(tokens == (0..<count).map { TestStage.hex(TestStage.updateToken($0)) }.sorted())
            let devices = try await stage.read("/api/v1/live-activity/\(id)/devices?limit=1000")
            #expect(devices["devices"]?.elementCount == count)
        }
    }

    @Test("Two devices of one user that report at once both join, and the user is counted once")
    func sameUser() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let keys = (0..<8).map { DeviceKey(insiderID: "one", udid: "phone-\($0)") }
            try await stage.store.devices.importDevices(
                keys.map { ($0, TestStage.phone, nil) }, tenantID: stage.tenant.tenantID)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, key) in keys.enumerated() {
                    group.addTask {
                        let body = """
                            {"insider_id":"one","udid":"\(key.udid)","token":"\(TestStage.hex(TestStage.updateToken(number)))",
                             "activity_type":"T","external_id":"e"}
                            """
                        let answer = try await stage.report("POST", "sync", body, gateway: number % 2)
                        #expect(answer.status == 200, "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            let id = try #require(try await stage.listed("?opened_by=device").first)
            let status = try await stage.status(id)
            #expect(status["devices"]?.int64 == 8 && status["users"]?.int64 == 1, "\(status.text)")
            #expect(status["counts", "active"]?.int64 == 8)
        }
    }

    @Test("Devices join while updates run, and none is lost")
    func growing() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let count = 150
            try await stage.addDevices(count)
            let id = try #require(try await open(stage, 0)["activity_id"]?.string)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1..<count {
                    group.addTask {
                        let answer = try await open(stage, number, gateway: number % 2)
                        #expect(answer.status == 200, "\(answer.text)")
                    }
                }
                group.addTask {
                    for _ in 0..<10 {
                        let update = try await stage.call("update", TestStage.body(id))
                        #expect(update.status == 200, "\(update.text)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stage.call("update", TestStage.body(id)).accepted == count)
            #expect(try await stage.call("end", TestStage.body(id), gateway: 1).accepted == count)
        }
    }

    @Test("Another type, another external id and another tenant are other activities")
    func apart() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            var ids: Set<String> = []
            for (type, externalID) in [("A", "x"), ("A", "y"), ("B", "x"), ("Ax", ""), ("a", "x")] {
                let token = Array("\(type) \(externalID)".utf8)
                let answer = try await open(stage, 0, externalID, type: type, token: token)
                #expect(externalID.isEmpty ? answer.code == "VALIDATION_FAILED" : answer.status == 200)
                if let id = answer["activity_id"]?.string { ids.insert(id) }
            }
            #expect(ids.count == 4)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            try await stage.store.devices.importDevices(
                [(TestStage.key(0), TestStage.phone, nil)], tenantID: other.tenantID)
            let answer = try await stage.send(
                "POST", "/api/v1/sdk/sync", TestStage.syncBody(0, #""activity_type":"A","external_id":"x""#),
                headers: ["X-Sdk-Key": other.sdkKey, "Content-Type": "application/json"])
            #expect(answer.status == 200 && !ids.contains(answer["activity_id"]?.string ?? ""))
        }
    }

    @Test("A device that reports after the end is sent the end at once")
    func late() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let id = try #require(try await open(stage, 0)["activity_id"]?.string)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            let late = try await open(stage, 1)
            #expect(late.status == 200 && late["activity_id"]?.string == id)
            #expect(await stage.mock.waitFor(timeout: .seconds(60)) { $0.accepted == 2 })
            let ends = stage.pushes(.end).map(\.token)
            #expect(ends.contains(TestStage.hex(TestStage.updateToken(1))), "\(ends)")
        }
    }

    @Test(
        "A device without consent is counted and not pushed to, one that has not said what it is has no Live Activity")
    func eligibility() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            var denied = TestStage.phone
            denied.gdprConsent = false
            var optedOut = TestStage.phone
            optedOut.pushOptIn = false
            try await stage.store.devices.importDevices(
                [(TestStage.key(1), denied, nil), (TestStage.key(2), optedOut, nil)], tenantID: stage.tenant.tenantID)
            var ids: Set<String> = []
            for number in 0..<3 {
                let answer = try await open(stage, number)
                #expect(answer.status == 200)
                if let id = answer["activity_id"]?.string { ids.insert(id) }
            }
            let update = try await stage.call("update", TestStage.body(try #require(ids.first)))
            #expect(ids.count == 1 && update.accepted == 1, "\(update.text)")
            #expect(update.skipped("gdpr_denied") == 1 && update.skipped("push_opt_out") == 1)
            #expect(try await open(stage, 7).code == "NOT_FOUND")
            let typeless = TestStage.syncBody(0, #""external_id":"e""#)
            #expect(try await stage.report("POST", "sync", typeless).code == "ACTIVITY_TYPE_REQUIRED")
        }
    }
}
