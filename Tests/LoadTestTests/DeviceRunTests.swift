import NIOCore
import TerminalDisplay
import Testing
import TimeCore

@testable import LoadTest

@Suite("Load tests with devices, against a server", .serialized)
struct DeviceRunTests {
    private func load(_ server: RecordingServer, devices: Int) -> DeviceLoad {
        var load = DeviceLoad()
        load.target.url = server.url
        load.target.devices = devices
        load.sdkKey = "sdk-secret"
        load.connections = 4
        return load
    }

    private func run(_ load: DeviceLoad, control: LoadControl = LoadControl()) async throws -> LoadReport {
        try await LoadTest.devices(load, observer: SilentObserver(), control: control)
    }

    @Test("Each device is registered with its token and syncs once, over no more connections than allowed")
    func wholeStory() async throws {
        try await RecordingServer.with { _, _ in
            .reply(200)
        } _: { server in
            var load = load(server, devices: 500)
            load.registers = true
            load.activity = .id("act-1")
            let report = try await run(load)
            #expect(report.failed == 0)
            #expect(report.phases.map(\.name) == ["devices", "tokens", "syncs"])
            #expect(report.phases.allSatisfy { $0.succeeded == 500 && $0.sent == 500 && !$0.isByTheClock })
            #expect(server.connections <= 4)
            let requests = server.requests
            #expect(requests.count == 1500)
            #expect(requests.allSatisfy { $0.headers["x-sdk-key"] == "sdk-secret" })
            for (method, path) in [
                ("PUT", "/api/v1/sdk/device"), ("PUT", "/api/v1/sdk/push-to-start-token"), ("POST", "/api/v1/sdk/sync"),
            ] {
                let own = requests.filter { $0.method == method && $0.path == path }
                #expect(own.count == 500 && Set(own.map(\.body)).count == 500, "\(path)")
            }
            #expect(requests.last?.body.contains(#""activity_id":"act-1""#) == true)
        }
    }

    @Test("Android phones report a registration token, and sync without one")
    func android() async throws {
        try await RecordingServer.with { _, _ in
            .reply(200)
        } _: { server in
            var load = load(server, devices: 200)
            load.registers = true
            load.androidShare = 30
            load.activity = .id("act-1")
            let report = try await run(load)
            #expect(report.failed == 0 && report.phases.allSatisfy { $0.succeeded == 200 })
            let requests = server.requests
            func count(_ path: String, _ text: String = "") -> Int {
                requests.count { $0.path == "/api/v1/sdk/\(path)" && (text.isEmpty || $0.body.contains(text)) }
            }
            #expect(count("device", #""platform":"android""#) == 60 && count("device", #""platform":"ios""#) == 140)
            #expect(count("registration-token") == 60 && count("push-to-start-token") == 140)
            #expect(count("sync") == 200 && count("sync", #""token":"#) == 140)
        }
    }

    @Test("Each rotation is a round of its own, with other tokens of the same devices")
    func rotations() async throws {
        try await RecordingServer.with { _, _ in
            .reply(200)
        } _: { server in
            var load = load(server, devices: 50)
            load.activity = .type("Match")
            load.rotations = 2
            load.connections = 1
            let report = try await run(load)
            #expect(report.phases.first?.succeeded == 150)
            let bodies = server.requests.map(\.body)
            #expect(Set(bodies).count == 150)
            func device(_ body: String) -> Substring { body.prefix { $0 != "," } + body.dropFirst(20).prefix(80) }
            #expect(Set(bodies[..<50].map(device)).count == 50)
            #expect(Set(bodies[50..<100].map(device)) == Set(bodies[..<50].map(device)))
        }
    }

    @Test("A gateway that stalls: calls keep their times, and the report has the wait that a closed loop would hide")
    func stall() async throws {
        try await RecordingServer.with { _, index in
            index == 0 ? .reply(200) : .held(200)
        } _: { server in
            var load = load(server, devices: 200)
            load.activity = .id("a")
            load.within = .seconds(1)
            // The stall lasts for half of the storm.
            server.release(after: .milliseconds(500))
            let report = try await run(load)
            let phase = try #require(report.phases.first)
            #expect(phase.succeeded == 200 && phase.isByTheClock)
            let sync = try #require(phase.kinds.first)
            // Four calls hung in the gateway. The others were not sent, and yet waited 500 ms to 0.
            #expect(sync.sinceSent.p90 < 250_000_000)
            #expect(sync.sinceDue.p90 > 300_000_000, "\(sync.sinceDue)")
            #expect(phase.heldByBound >= 60, "\(phase.heldByBound)")
            #expect(phase.worstLateness > 300_000_000)
            #expect(report.text(.plain).contains("in-flight limit (4)"))
            #expect(server.connections <= 4)
        }
    }

    @Test("Without the bound's help too: calls that the gateway sits on show their whole wait in both times")
    func wideBound() async throws {
        try await RecordingServer.with { _, _ in
            .held(200)
        } _: { server in
            var load = load(server, devices: 100)
            load.activity = .id("a")
            load.within = .milliseconds(500)
            load.connections = 100
            // Later than a busy machine takes to send them all.
            server.release(after: .milliseconds(2500))
            let phase = try #require(try await run(load).phases.first)
            #expect(phase.succeeded == 100 && phase.heldByBound == 0)
            #expect((phase.kinds.first?.sinceSent.p50 ?? 0) > 400_000_000)
        }
    }

    @Test("A gateway that never answers: calls end by their timeout, what was never sent is counted and shown")
    func silence() async throws {
        try await RecordingServer.with { _, _ in
            .silence
        } _: { server in
            var load = load(server, devices: 40)
            load.activity = .id("a")
            load.within = .milliseconds(200)
            load.target.timeout = .milliseconds(300)
            let report = try await run(load)
            let phase = try #require(report.phases.first)
            #expect(phase.succeeded == 0)
            #expect(phase.unanswered == phase.sent && phase.sent >= 4)
            #expect(phase.sent + phase.neverSent == 40 && phase.neverSent > 0)
            #expect(phase.losses.first == .init(name: "no answer in time", count: phase.sent))
            #expect(phase.all.sinceDue.count == 40)
            #expect(phase.all.sinceDue.p50 > 200_000_000)
            #expect(report.failed == 40)
        }
    }

    @Test("An answer that comes after its call was given up is not taken for the next call's")
    func lateAnswer() async throws {
        try await RecordingServer.with { _, index in
            index == 0 ? .held(404) : .reply(200)
        } _: { server in
            var load = load(server, devices: 30)
            load.activity = .id("a")
            load.connections = 1
            load.target.timeout = .milliseconds(300)
            server.release(after: .milliseconds(450))
            let phase = try #require(try await run(load).phases.first)
            #expect(phase.unanswered == 1 && phase.refused == 0 && phase.succeeded == 29)
            #expect(server.connections == 2)
        }
    }

    @Test("A connection that is closed in place of an answer is a lost call, and another takes its place")
    func hangUps() async throws {
        try await RecordingServer.with { _, index in
            index % 5 == 4 ? .hangUp : .reply(200)
        } _: { server in
            var load = load(server, devices: 100)
            load.activity = .id("a")
            let phase = try #require(try await run(load).phases.first)
            #expect(phase.sent == 100 && phase.unanswered == 20 && phase.succeeded == 80)
            #expect(phase.losses.map(\.count) == [20])
        }
    }

    @Test("A gateway that closes each connection after its answer is obeyed without a lost call")
    func closing() async throws {
        try await RecordingServer.with { _, _ in
            .reply(200, headers: ["Connection": "close"])
        } _: { server in
            var load = load(server, devices: 60)
            load.activity = .id("a")
            let phase = try #require(try await run(load).phases.first)
            #expect(phase.succeeded == 60)
            #expect(server.connections >= 60)
        }
    }

    @Test("Refusals are counted by status and code, and rate limits beside them")
    func refusals() async throws {
        try await RecordingServer.with { _, index in
            switch index % 4 {
            case 0: .reply(429, #"{"error":"e","code":"RATE_LIMITED"}"#)
            case 1: .reply(404, #"{"error":"e","code":"NOT_FOUND"}"#)
            default: .reply(200)
            }
        } _: { server in
            var load = load(server, devices: 100)
            load.activity = .id("a")
            let report = try await run(load)
            let phase = try #require(report.phases.first)
            #expect(phase.rateLimited == 25 && phase.refused == 25 && phase.succeeded == 50)
            #expect(phase.codes.map(\.name) == ["404 NOT_FOUND", "429 RATE_LIMITED"])
            #expect(
                phase.statuses == [
                    .init(name: "200", count: 50), .init(name: "404", count: 25), .init(name: "429", count: 25),
                ])
            #expect(report.failed == 50 && report.rateLimited == 25)
        }
    }

    @Test("A key that the gateway does not take ends the run at once")
    func unauthorized() async throws {
        try await RecordingServer.with { _, _ in
            .reply(401, #"{"error":"e","code":"UNAUTHORIZED"}"#)
        } _: { server in
            var load = load(server, devices: 1000)
            load.registers = true
            load.activity = .id("a")
            let report = try await run(load)
            #expect(report.phases.count == 1 && report.isBrokenOff)
            #expect(server.requests.count <= 8)
            #expect(report.text(.plain).contains("refused the key"))
            #expect(!report.text(.plain).contains("sdk-secret"))
        }
    }

    @Test("A stop ends the run early with the report so far")
    func stop() async throws {
        let control = LoadControl()
        try await RecordingServer.with { _, index in
            if index == 30 { control.stop() }
            return .reply(200)
        } _: { server in
            var load = load(server, devices: 100_000)
            load.activity = .id("a")
            load.within = .seconds(1000)
            let begin = ContinuousClock.now
            let report = try await run(load, control: control)
            let phase = try #require(report.phases.first)
            #expect(phase.isBrokenOff && phase.succeeded >= 31 && phase.succeeded < 10_000)
            #expect(ContinuousClock.now - begin < .seconds(30))
        }
    }

    @Test("A stop does not wait for a gateway that never answers")
    func stopWhileSilent() async throws {
        let control = LoadControl()
        try await RecordingServer.with { _, _ in
            control.stop()
            return .silence
        } _: { server in
            var load = load(server, devices: 10)
            load.activity = .id("a")
            let begin = ContinuousClock.now
            let report = try await run(load, control: control)
            #expect(report.phases.first?.unanswered == report.phases.first?.sent)
            #expect(ContinuousClock.now - begin < .seconds(30))
        }
    }

    @Test("Where nobody listens the run does not begin, and says why")
    func nobody() async throws {
        let server = RecordingServer { _, _ in .reply(200) }
        try await server.start()
        var load = load(server, devices: 10)
        await server.stop()
        load.activity = .id("a")
        let error = await #expect(throws: LoadTestError.self) { _ = try await run(load) }
        #expect(error?.description == "the gateway cannot be reached: the connection was refused")
    }

    @Test("A gateway that goes away in the middle: every call still has an end")
    func goesAway() async throws {
        let server = RecordingServer { _, _ in .reply(200) }
        try await server.start()
        var load = load(server, devices: 300)
        load.activity = .id("a")
        load.within = .seconds(2)
        let running = Task { [load] in try await run(load) }
        while server.requests.count < 30 { try await Task.sleep(for: .milliseconds(2)) }
        await server.stop()
        let phase = try #require(try await running.value.phases.first)
        #expect(phase.succeeded >= 26 && phase.succeeded < 300)
        #expect(phase.sent + phase.neverSent == 300)
        #expect(phase.losses.contains { $0.name == "the connection was refused" })
    }
}
