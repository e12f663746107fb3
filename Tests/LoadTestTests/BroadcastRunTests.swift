import LiveActivity
import NIOCore
import TerminalDisplay
import Testing
import TimeCore

@testable import LoadTest

@Suite("Load tests with marketing systems, against a server", .serialized)
struct BroadcastRunTests {
    /// Gives activities ids by their number.
    private static func gateway(_ request: RecordingServer.Request, _ index: Int) -> RecordingServer.Answer {
        if request.path.hasSuffix("/register") {
            return .reply(200, #"{"status":"success","activity_id":"act-\#(index)"}"#)
        }
        return .reply(200, #"{"status":"success","sessions_triggered":7}"#)
    }

    private func load(_ server: RecordingServer) -> BroadcastLoad {
        var load = BroadcastLoad()
        load.target.url = server.url
        load.apiKeys = ["api-secret"]
        load.segmentSize = 5
        load.rate = 2000
        load.duration = nil
        load.calls = 400
        load.contentBytes = 10
        return load
    }

    private func run(_ load: BroadcastLoad) async throws -> LoadReport {
        try await LoadTest.broadcasts(load, observer: SilentObserver(), control: LoadControl())
    }

    private func value(_ request: RecordingServer.Request, _ path: String...) -> JSONValue? {
        var value = try? JSONDocument(parsing: Array(request.body.utf8)).root
        for name in path { value = (try? value?.member(name)).flatMap { $0 } }
        return value
    }

    @Test("Every call is one that the contract knows, on an activity that is in the state for it")
    func lives() async throws {
        try await RecordingServer.with(BroadcastRunTests.gateway) { server in
            var load = load(server)
            load.sdkKeys = ["sdk-secret"]
            load.inFlight = 1
            let report = try await run(load)
            #expect(report.failed == 0)
            var states: [String: String] = [:]
            var synced: [String: Int] = [:]
            for (index, request) in server.requests.enumerated() {
                let kind = request.path.split(separator: "/").last.map(String.init) ?? ""
                let isSync = kind == "sync"
                #expect(request.headers[isSync ? "x-sdk-key" : "x-api-key"] == (isSync ? "sdk-secret" : "api-secret"))
                if kind == "register" {
                    #expect(value(request, "insider_ids")?.elementCount == 5)
                    #expect(value(request, "activity_type")?.string == "LoadTestAttributes")
                    #expect(value(request, "ends_at")?.string.flatMap { WallTime(rfc3339: $0) } != nil)
                    states["act-\(index)"] = "registered"
                    continue
                }
                let id = try #require(value(request, "activity_id")?.string)
                switch kind {
                case "start":
                    #expect(states[id] == "registered")
                    #expect(value(request, "content", "title")?.string != nil)
                    #expect(value(request, "content", "content_state", "filler")?.string?.count == 10)
                    states[id] = "started"
                case "sync": synced[id, default: 0] += 1
                case "update": #expect(states[id] == "started" && synced[id] == 5)
                case "end":
                    #expect(states[id] == "started" && value(request, "options") == nil)
                    states[id] = "ended"
                default: Issue.record("an unknown call: \(request.path)")
                }
            }
            let phase = try #require(report.phases.first)
            let calls = server.requests.count { !$0.path.hasSuffix("sync") }
            #expect(calls == 400 && phase.all.sinceDue.count == 400)
            #expect(phase.kinds.map(\.name) == ["register", "start", "update", "end", "sync"])
            let updates = phase.kinds.first { $0.name == "update" }?.sent ?? 0
            #expect(phase.pushes.first { $0.name == "update" }?.count == updates * 7)
        }
    }

    @Test("No run makes more requests than allowed, with the reports of devices counted, and says that it ended so")
    func limit() async throws {
        // Calls beyond the fortieth wait until a device reports: however busy the machine, they do not use up the
        // limit.
        let gateway: @Sendable (RecordingServer.Request, Int) -> RecordingServer.Answer = { request, index in
            index > 40 && !request.path.hasSuffix("/sync") ? .held(200) : BroadcastRunTests.gateway(request, index)
        }
        try await RecordingServer.with(gateway) { server in
            var load = load(server)
            load.sdkKeys = ["sdk-secret"]
            load.segmentSize = 100
            load.inFlight = 8
            load.target.maximumRequests = 120
            let limited = load
            let ran = Task { try await run(limited) }
            let end = MonotonicTime.now() + .seconds(60)
            while MonotonicTime.now() < end, !server.requests.contains(where: { $0.path.hasSuffix("/sync") }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            server.release()
            let report = try await ran.value
            #expect(server.requests.count == 120)
            #expect(report.phases.first?.sent == 120 && report.phases.first?.followUps ?? 0 > 0)
            #expect(report.text(.plain).contains("--max-requests"))
        }
    }

    @Test("Without SDK keys no device reports, and ends are forced")
    func forced() async throws {
        try await RecordingServer.with(BroadcastRunTests.gateway) { server in
            let load = load(server)
            let report = try await run(load)
            #expect(report.failed == 0)
            let ends = server.requests.filter { $0.path.hasSuffix("/end") }
            #expect(!ends.isEmpty && ends.allSatisfy { value($0, "options", "force")?.bool == true })
            #expect(server.requests.count == 400)
        }
    }

    @Test("A share of the calls addresses a list of devices of the activity")
    func targets() async throws {
        try await RecordingServer.with(BroadcastRunTests.gateway) { server in
            var load = load(server)
            load.targetShare = 0.5
            load.targets = 3
            load.segmentSize = 8
            #expect(try await run(load).failed == 0)
            let calls = server.requests.filter { $0.path.hasSuffix("/update") || $0.path.hasSuffix("/start") }
            let lists = calls.compactMap { value($0, "target_devices") }
            #expect(abs(Double(lists.count) / Double(calls.count) - 0.5) < 0.15)
            #expect(lists.allSatisfy { $0.elementCount == 3 })
            var segments: [String: Set<String>] = [:]
            for (index, request) in server.requests.enumerated() where request.path.hasSuffix("/register") {
                segments["act-\(index)"] = Set(value(request, "insider_ids")?.elements.compactMap(\.string) ?? [])
            }
            for call in calls {
                guard let list = value(call, "target_devices"), let id = value(call, "activity_id")?.string else {
                    continue
                }
                for device in list.elements {
                    let insider = try #require(try device.member("insider_id")?.string)
                    #expect(segments[id]?.contains(insider) == true)
                }
            }
        }
    }

    @Test("Several keys take turns, and an activity stays with the key that registered it")
    func keys() async throws {
        try await RecordingServer.with(BroadcastRunTests.gateway) { server in
            var load = load(server)
            load.apiKeys = ["key-0", "key-1", "key-2"]
            #expect(try await run(load).failed == 0)
            var owners: [String: String] = [:]
            var counts: [String: Int] = [:]
            for (index, request) in server.requests.enumerated() {
                let key = try #require(request.headers["x-api-key"])
                counts[key, default: 0] += 1
                if request.path.hasSuffix("/register") {
                    owners["act-\(index)"] = key
                } else {
                    #expect(owners[value(request, "activity_id")?.string ?? ""] == key)
                }
            }
            #expect(counts.count == 3)
        }
    }

    @Test("Rate-limited calls stand apart, and do not stop the run")
    func rateLimited() async throws {
        try await RecordingServer.with { request, index in
            index % 2 == 1
                ? .reply(429, #"{"error":"e","code":"RATE_LIMITED"}"#) : BroadcastRunTests.gateway(request, index)
        } _: { server in
            let report = try await run(load(server))
            let phase = try #require(report.phases.first)
            #expect(phase.rateLimited == 200 && phase.succeeded == 200 && phase.refused == 0)
            #expect(phase.rateLimitedAnswers.sinceDue.count == 200 && phase.all.sinceDue.count == 200)
        }
    }

    @Test("One activity with a segment beyond a call's limit is registered whole and started, and its id told")
    func startOne() async throws {
        try await RecordingServer.with { request, index in
            if request.path.hasSuffix("/register") { return .reply(200, #"{"activity_id":"the-one"}"#) }
            return .reply(200, #"{"sessions_triggered":25000}"#)
        } _: { server in
            var load = load(server)
            load.target.devices = 25_000
            load.segmentSize = 25_000
            load.startsOne = true
            load.sdkKeys = ["sdk"]
            let report = try await run(load)
            #expect(report.activityID == "the-one" && report.failed == 0)
            #expect(
                server.requests.map { $0.path.split(separator: "/").last } == [
                    "register", "add-users", "add-users", "start",
                ])
            var ids: Set<String> = []
            for request in server.requests {
                ids.formUnion(value(request, "insider_ids")?.elements.compactMap(\.string) ?? [])
            }
            #expect(ids.count == 25_000)
            #expect(String(decoding: report.json, as: UTF8.self).contains(#""activity_id":"the-one""#))
        }
    }

    @Test("A register that is refused ends the making of one activity")
    func startOneRefused() async throws {
        try await RecordingServer.with { _, _ in
            .reply(422, #"{"error":"e","code":"NO_ELIGIBLE_DEVICE"}"#)
        } _: { server in
            var load = load(server)
            load.startsOne = true
            let report = try await run(load)
            #expect(report.activityID == nil && report.failed == 1 && server.requests.count == 1)
        }
    }

    @Test("Calls stay due by the clock while the gateway stalls, also when no activity is free")
    func stall() async throws {
        try await RecordingServer.with { request, index in
            (20..<24).contains(index) ? .held(200) : BroadcastRunTests.gateway(request, index)
        } _: { server in
            var load = load(server)
            load.inFlight = 4
            load.rate = 200
            load.arrivals = .uniform
            load.calls = 200
            let running = Task { [load] in try await run(load) }
            while server.requests.count < 24 { try await Task.sleep(for: .milliseconds(1)) }
            server.release(after: .milliseconds(400))
            let phase = try #require(try await running.value.phases.first)
            #expect(phase.sent == 200 && phase.neverSent == 0)
            #expect(phase.heldByBound >= 40, "\(phase.heldByBound)")
            #expect(phase.all.sinceDue.p90 > 150_000_000)
            #expect(phase.all.sinceSent.p90 < 150_000_000)
        }
    }
}
