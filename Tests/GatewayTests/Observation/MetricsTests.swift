import AsyncHTTPClient
import Foundation
import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import NIOCore
import NIOHTTP1
import PushClient
import ScrapedMetrics
import Testing
import TimeCore

@Suite("Metrics", .serialized)
struct MetricsTests {
    private func dead(_ numbers: Range<Int>, reason: String = "Unregistered") -> MockRule {
        MockRule(
            .init(tokens: Set(numbers.map { TestStage.hex(TestStage.startToken($0)) })),
            .answer(status: 410, reason: reason, timestamp: 0))
    }

    @Test(
        "A whole life is counted exactly: requests, pushes by event, outcome and reason, devices and broadcasts",
        arguments: [false, true])
    func wholeLife(withEvents: Bool) async throws {
        try await TestStage.run { stage in
            if withEvents { try await stage.switchStreamOn() }
            try await stage.addDevices(30)
            let id = try await stage.register(30)
            var script = MockScript()
            script.rules = [dead(0..<4), dead(4..<6, reason: "ExpiredToken"), dead(6..<7, reason: "Made.up reason")]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 23, "\(start.text)")
            #expect(try await stage.call("start", TestStage.body(id)).status == 409)
            stage.mock.setScript(MockScript())
            for number in 7..<27 { #expect(try await stage.sync(number, id).status == 200) }
            #expect(try await stage.sync(99, id).status == 404)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 20)
            #expect(try await stage.call("end", TestStage.body(id, content: nil)).accepted == 20)

            let page = try await stage.metrics(finished: 3)
            #expect(TestStage.requests(page, "register", 200) == 1)
            #expect(TestStage.requests(page, "start", 200) == 1 && TestStage.requests(page, "start", 409) == 1)
            #expect(TestStage.requests(page, "update", 200) == 1 && TestStage.requests(page, "end", 200) == 1)
            let sync = ["route": "/api/v1/sdk/sync", "method": "POST"]
            #expect(page.value("fanfare_http_requests_total", sync.merging(["code": "200"]) { $1 }) == 20)
            #expect(page.value("fanfare_http_requests_total", sync.merging(["code": "404"]) { $1 }) == 1)
            #expect(page.value("fanfare_http_request_duration_seconds_count", sync) == 21)
            #expect(page.sum("fanfare_http_request_duration_seconds_count", ["method": "POST"]) == 26)

            #expect(TestStage.pushes(page, "start", "accepted") == 23)
            #expect(TestStage.pushes(page, "start", "rejected", "Unregistered") == 4)
            #expect(TestStage.pushes(page, "start", "rejected", "ExpiredToken") == 2)
            #expect(TestStage.pushes(page, "start", "rejected", "other") == 1)
            #expect(TestStage.pushes(page, "update", "accepted") == 20)
            #expect(TestStage.pushes(page, "end", "accepted") == 20)
            #expect(page.sum("fanfare_pushes_total") == 70)
            // The rejection that would have been final came from two connections.
            #expect(page.value("fanfare_push_queue_duration_seconds_count") == 71)
            #expect(page.value("fanfare_push_answer_duration_seconds_count") == 71)
            #expect(page.value("fanfare_pushes_waiting") == 0 && page.value("fanfare_pushes_in_flight") == 0)

            let devices = { page.sum("fanfare_broadcast_devices_total", ["event": $0, "outcome": $1]) }
            #expect(devices("start", "accepted") == 23 && devices("start", "failed") == 7)
            #expect(devices("update", "accepted") == 20 && devices("end", "accepted") == 20)
            for kind in ["start", "update", "end"] {
                #expect(page.value("fanfare_broadcasts_recorded_total", ["kind": kind]) == 1)
                #expect(page.value("fanfare_broadcasts_finished_total", ["kind": kind, "state": "done"]) == 1)
                #expect(page.value("fanfare_broadcast_duration_seconds_count", ["kind": kind]) == 1)
            }
            #expect(page.value("fanfare_jobs_taken_total", ["lane": "small"]) == 3)
            #expect(page.value("fanfare_job_wait_seconds_count", ["lane": "small"]) == 3)
            #expect(page.value("fanfare_broadcasts_unfinished") == 0)
            #expect(page.value("fanfare_broadcast_lag_seconds") == 0)
            #expect(page.sum("fanfare_jobs") == 0)
        }
    }

    @Test("Gauges and totals of connections, provider token, Redis and process have sane values")
    func gaugesAndTotals() async throws {
        try await TestStage.run { stage in
            _ = try await stage.started(3)
            let page = try await stage.metrics()
            let ready = page.value("fanfare_push_connections", ["state": "ready", "purpose": "ordinary"]) ?? 0
            #expect(ready >= 1 && page.series("fanfare_push_connections").count == 8)
            #expect((page.value("fanfare_push_stream_limit") ?? 0) >= ready)
            #expect((page.value("fanfare_push_connections_opened_total") ?? 0) >= 1)
            let token = ["provider": stage.mock.url, "team": stage.mock.teamID, "key": stage.mock.keyID]
            #expect((page.value("fanfare_provider_token_age_seconds", token) ?? -1) >= 0)
            #expect(page.value("fanfare_provider_tokens_total", token) == 1)
            #expect(page.value("fanfare_redis_up") == 1)
            #expect((page.value("fanfare_redis_commands_total") ?? 0) > 10)
            #expect((page.value("fanfare_redis_round_trip_seconds_count") ?? 0) > 10)
            #expect((page.value("fanfare_redis_connections_opened_total") ?? 0) >= 1)
            #expect(page.sum("fanfare_redis_command_failures_total") == 0)
            #expect((page.value("process_resident_memory_bytes") ?? 0) > 1_000_000)
            #expect((page.value("process_cpu_seconds_total") ?? 0) > 0)
            #expect((page.value("process_open_fds") ?? 0) > 3)
            let now = Double(WallTime.now().seconds)
            let start = page.value("process_start_time_seconds") ?? 0
            #expect(start > now - 86_400 && start <= now + 1)
            #expect(page.series("fanfare_build_info").count == 1)
        }
    }

    @Test("GOAWAYs and the pushes that they turned away are counted by error code")
    func goAways() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1000)
            let id = try await stage.register(1000)
            var script = MockScript()
            script.goAway = .init(afterStreams: 200, lastStream: .minus(20), limit: 2)
            stage.mock.setScript(script)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1000)
            let page = try await stage.metrics()
            #expect(page.value("fanfare_push_goaways_total", ["code": "NO_ERROR"]) == 2)
            #expect((page.value("fanfare_pushes_requeued_total") ?? 0) > 0)
            #expect(TestStage.pushes(page, "start", "accepted") == 1000)
        }
    }

    @Test("Stopped broadcasts are counted by reason, and missing answers as well")
    func stops() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.info), configure: { $0.push.pushDeadline = .seconds(1) }) { stage in
            let unknown = ["event": "start", "cohort": "apns", "outcome": "failed", "reason": "unknown"]
            #expect(try await stage.metrics().value("fanfare_broadcast_devices_total", unknown) == 0)
            try await stage.addDevices(25)
            let id = try await stage.register(25)
            stage.mock.setScript(.always(.answer(status: 400, reason: "BadPriority")))
            #expect(try await stage.call("start", TestStage.body(id)).failed("BadPriority") == 25)
            // Six are too few to stop, and too many to be silent about.
            let few = try await stage.register(6)
            #expect(try await stage.call("start", TestStage.body(few)).failed("BadPriority") == 6)
            stage.mock.setScript(.always(.silence))
            let silent = try await stage.register(2)
            #expect(try await stage.call("start", TestStage.body(silent)).failed("unknown") == 2)
            let page = try await stage.metrics(finished: 3)
            #expect(page.value("fanfare_broadcast_stops_total", ["reason": "BadPriority"]) == 1)
            #expect(page.value("fanfare_broadcast_rejections_total", ["reason": "BadPriority"]) == 1)
            #expect(page.value("fanfare_broadcasts_finished_total", ["kind": "start", "state": "failed"]) == 1)
            #expect(TestStage.pushes(page, "start", "unanswered", "TimedOut") == 2)
            #expect(page.value("fanfare_broadcast_devices_total", unknown) == 2)
            // A broadcast that reached no known device is an error in the log.
            let lines = try log.read()
            let stopped = lines.filter { $0.message.hasPrefix("broadcast stopped") }
            #expect(stopped.map(\.level) == ["error"] && stopped.first?.metadata["reason"] == "BadPriority")
            let rejected = lines.filter { $0.message == "nearly all pushes rejected" }
            #expect(rejected.map(\.level) == ["warning"] && rejected.first?.metadata["reason"] == "BadPriority")
            let finished = lines.filter { $0.message == "broadcast finished" }
            #expect(finished.map(\.level) == ["info", "info", "error"] && finished.last?.metadata["unknown"] == "2")
        }
    }

    @Test("Each gateway counts its own work; the sum is the whole")
    func twoGateways() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(40)
            for gateway in [0, 1, 1] {
                let id = try await stage.register(40)
                #expect(try await stage.call("start", TestStage.body(id), gateway: gateway).accepted == 40)
            }
            var pages = [try await stage.metrics(gateway: 0), try await stage.metrics(gateway: 1)]
            let end = MonotonicTime.now() + .seconds(30)
            while pages.reduce(0, { $0 + $1.sum("fanfare_broadcasts_finished_total") }) < 3, MonotonicTime.now() < end {
                pages = [try await stage.metrics(gateway: 0), try await stage.metrics(gateway: 1)]
            }
            #expect(pages.map { TestStage.requests($0, "start", 200) } == [1, 2])
            #expect(pages.map { $0.value("fanfare_broadcasts_recorded_total", ["kind": "start"]) } == [1, 2])
            #expect(pages.reduce(0) { $0 + (TestStage.pushes($1, "start", "accepted") ?? 0) } == 120)
            #expect(pages.reduce(0) { $0 + $1.sum("fanfare_broadcasts_finished_total") } == 3)
        }
    }

    @Test("Unknown paths share one series, and no series names tenants, tokens or keys")
    func bounded() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            _ = try await stage.sync(0, id)
            for path in ["/a", "/b/c", "/api/v1/nothing", "/api/v1/live-activity/start/x"] {
                _ = try await stage.send("GET", path, nil, headers: [:])
            }
            _ = try await stage.send("PROPFIND", "/a", nil, headers: [:])
            for _ in 0..<3 { _ = try await stage.read("/api/v1/live-activity/broadcasts/\(UniqueID.random())") }
            let page = try await stage.metrics()
            let requests = "fanfare_http_requests_total"
            #expect(page.sum(requests, ["route": "none", "method": "GET", "code": "404"]) == 4)
            #expect(page.sum(requests, ["route": "none", "method": "other"]) == 1)
            #expect(TestStage.requests(page, "broadcasts/{broadcast_id}", 404, method: "GET") == 3)
            let text = page.values.keys.flatMap(\.labels.values).joined(separator: " ").lowercased()
            let secrets = [
                stage.tenant.tenantID, stage.tenant.apiKey, stage.tenant.sdkKey, stage.identitySecret, id,
                TestStage.hex(TestStage.startToken(0)), TestStage.hex(TestStage.updateToken(0)),
            ]
            for secret in secrets { #expect(!text.contains(secret.lowercased())) }
        }
    }

    @Test("docs/metrics.md names exactly the existing metrics")
    func documented() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/metrics.md")
        let text = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let rows = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 1, cells[0].hasPrefix("`"), cells[0].hasSuffix("`") else { return nil }
            return (String(cells[0].dropFirst().dropLast()), cells[1])
        }
        let documented = Dictionary(rows) { first, _ in first }
        #expect(documented.count == rows.count)
        try await TestStage.run { stage in
            let page = try await stage.metrics()
            #expect(page.types == documented)
        }
    }

    @Test("The metrics can have a listener of their own, and can be switched off")
    func listeners() async throws {
        try await TestStage.run(configure: { $0.metrics.port = 0 }) { stage in
            let port = try #require(stage.gateways[0].metricsPort)
            #expect(port != stage.gateways[0].port)
            #expect(try await stage.send("GET", "/metrics", nil, headers: [:]).status == 404)
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/metrics")
            let response = try await stage.http.execute(request, timeout: .seconds(30))
            #expect(response.status.code == 200)
            let page = try ScrapedPage(String(buffer: try await response.body.collect(upTo: 1 << 20)))
            #expect(page.value("fanfare_redis_up") == 1)
            let other = HTTPClientRequest(url: "http://127.0.0.1:\(port)/health/live")
            #expect(try await stage.http.execute(other, timeout: .seconds(30)).status.code == 404)
        }
        try await TestStage.run(configure: { $0.metrics.isEnabled = false }) { stage in
            #expect(stage.gateways[0].metricsPort == nil)
            let answer = try await stage.send("GET", "/metrics", nil, headers: [:])
            #expect(answer.status == 404)
        }
    }
}
