import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("A key that production accepts and the sandbox refuses", .serialized)
struct RefusedKeyTests {
    private static let reason = "BadEnvironmentKeyIdInToken"
    /// Phones, and how many of them, from the first on, are developers'.
    private static let (count, developers) = (30, 10)

    /// A gateway between the two, the only one.
    private struct Place {
        let stage: TestStage
        let gateway: Gateway
        let sandbox: MockAPNs

        func refuses(_ isRefused: Bool) {
            var script = MockScript()
            if isRefused { script.rules = [MockRule(.init(), .answer(status: 403, reason: RefusedKeyTests.reason))] }
            sandbox.setScript(script)
        }

        func call(_ command: String, _ body: String, headers: [String: String] = [:]) async throws -> TestStage.Answer {
            try await stage.call(command, body, headers: headers, port: gateway.port)
        }

        /// Registers an activity for the first phones and starts it.
        func start(
            _ count: Int = RefusedKeyTests.count, headers: [String: String] = [:]
        ) async throws -> (id: String, answer: TestStage.Answer) {
            let body = """
                {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<count))],
                 "ends_at":"\(stage.endsAt())"}
                """
            let registered = try await call("register", body)
            let id = try #require(registered["activity_id"]?.string, "\(registered.text)")
            return (id, try await call("start", TestStage.body(id), headers: headers))
        }

        func sync(_ number: Int, _ id: String) async throws {
            let answer = try await stage.send(
                "POST", "/api/v1/sdk/sync", TestStage.syncBody(number, #""activity_id":"\#(id)""#),
                headers: ["X-Sdk-Key": stage.tenant.sdkKey, "Content-Type": "application/json"], port: gateway.port)
            try #require(answer.status == 200, "\(answer.text)")
        }

        func state(_ broadcast: String) async throws -> TestStage.Answer {
            try await stage.send(
                "GET", "/api/v1/live-activity/broadcasts/\(broadcast)", nil,
                headers: ["X-Api-Key": stage.tenant.apiKey], port: gateway.port)
        }
    }

    private func run(_ body: (Place) async throws -> Void) async throws {
        try await TestStage.run { stage in
            let sandbox = try MockAPNs.start(MockAPNs.Options(directory: "\(stage.directory)/apns"))
            defer { sandbox.stop() }
            var options = stage.options
            options.sandboxURL = sandbox.url
            options.jobs.refusalPatience = .milliseconds(200)
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            let batch = (0..<Self.count).map { number in
                var phone = TestStage.phone
                phone.environment = number < Self.developers ? .sandbox : .production
                return (key: TestStage.key(number), device: phone, token: Optional(TestStage.startToken(number)))
            }
            try await stage.setup.store.devices.importDevices(batch, tenantID: stage.tenant.tenantID)
            await stage.gateways[0].stop()
            try await body(Place(stage: stage, gateway: gateway, sandbox: sandbox))
            await gateway.stop()
        }
    }

    /// Starts until the sandbox has been refusing for long enough, so that its part is stopped.
    private func startRefused(_ place: Place) async throws {
        let start = try await place.start().answer
        #expect(start.status == 200 && start.accepted == Self.count - Self.developers, "\(start.text)")
        #expect(start.failed(Self.reason) == Self.developers, "\(start.text)")
    }

    @Test("A refusing sandbox delays no start, and is tried again automatically")
    func starts() async throws {
        try await run { place in
            place.refuses(true)
            for _ in 0..<3 { try await startRefused(place) }
            #expect(place.sandbox.acceptedByToken().isEmpty)
            place.refuses(false)
            try await place.stage.eventually("the sandbox is not tried again") {
                try await Task.sleep(for: .milliseconds(500))
                return try await place.start().answer.accepted == Self.count
            }
        }
    }

    @Test("A start to the sandbox alone waits for it")
    func sandboxAlone() async throws {
        try await run { place in
            place.refuses(true)
            // These show that the rule is in force.
            try await startRefused(place)
            let start = try await place.start(Self.developers, headers: ["Prefer": "respond-async"]).answer
            let broadcast = try #require(start["broadcast_id"]?.string, "\(start.text)")
            for _ in 0..<2 { try await startRefused(place) }
            #expect(try await place.state(broadcast)["state"]?.string == "paused")
            place.refuses(false)
            try await place.stage.eventually("the start does not end") {
                try await place.state(broadcast)["state"]?.string == "done"
            }
            #expect(try await place.state(broadcast)["accepted"]?.int64 == Int64(Self.developers))
            #expect(place.sandbox.acceptedByToken().count == Self.developers)
        }
    }

    @Test("An end waits for the sandbox, also for a device that reported its token after the end")
    func ends() async throws {
        try await run { place in
            let (id, start) = try await place.start()
            #expect(start.accepted == Self.count, "\(start.text)")
            for number in 1..<Self.count { try await place.sync(number, id) }
            place.refuses(true)
            try await startRefused(place)
            let end = try await place.call("end", TestStage.body(id), headers: ["Prefer": "respond-async"])
            let broadcast = try #require(end["broadcast_id"]?.string, "\(end.text)")
            try await place.stage.eventually("production is not ended") {
                place.stage.pushes(.end).count == Self.count - Self.developers
            }
            try await place.sync(0, id)
            // The rule is in force for broadcasts to both hosts.
            for _ in 0..<2 { try await startRefused(place) }
            #expect(try await place.state(broadcast)["state"]?.string == "paused")
            place.refuses(false)
            let ended = (0..<Self.developers).map { TestStage.hex(TestStage.updateToken($0)) }
            try await place.stage.eventually("the sandbox is not ended") {
                ended.allSatisfy { place.sandbox.acceptedByToken()[$0] == 1 }
            }
            try await place.stage.eventually("the end does not end") {
                try await place.state(broadcast)["state"]?.string == "done"
            }
            #expect(try await place.state(broadcast)["accepted"]?.int64 == Int64(Self.count - 1))
        }
    }
}
