import AsyncHTTPClient
import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import NIOCore
import NIOHTTP1
import PushClient
import Testing
import TimeCore

@Suite("Events of a broadcast", .serialized)
struct BroadcastEventTests {
    private struct Event {
        let id: String
        let name: String
        let data: JSONDocument

        func count(_ field: String) -> Int {
            (try? data.root.member(field)?.int64).flatMap { $0 }.map { Int($0) } ?? -1
        }
        var counts: [String: Int64] { BroadcastEventTests.counts(data.root) }
        var state: String? { (try? data.root.member("state")?.string).flatMap { $0 } }
    }

    /// All counts of a broadcast by name.
    private static func counts(_ status: JSONValue) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for name in ["total", "accepted"] { counts[name] = try? status.member(name)?.int64 }
        for name in ["failed", "skipped"] {
            guard let object = try? status.member(name) else { continue }
            for reason in object.memberNames { counts["\(name) \(reason)"] = try? object.member(reason)?.int64 }
        }
        return counts
    }

    private func expectNoFall(_ all: [[String: Int64]], _ location: SourceLocation = #_sourceLocation) {
        for (older, newer) in zip(all, all.dropFirst()) {
            let fallen = older.filter { newer[$0.key] ?? 0 < $0.value }
            #expect(fallen.isEmpty, "\(fallen), then \(newer)", sourceLocation: location)
        }
    }

    /// The counts that the gateways report in turn, until the broadcast has ended.
    private func statuses(_ stage: TestStage, _ id: String) async throws -> [[String: Int64]] {
        var all: [[String: Int64]] = []
        while true {
            for gateway in stage.gateways.indices {
                let answer = try await stage.read("/api/v1/live-activity/broadcasts/\(id)", gateway: gateway)
                let status = try JSONDocument(parsing: answer.bytes).root
                all.append(BroadcastEventTests.counts(status))
                if status.text("state") == "done" { return all }
            }
        }
    }

    /// All events until the gateway closes the stream.
    private func events(
        _ stage: TestStage, _ id: String, gateway: Int, lastSeen: String? = nil
    ) async throws -> [Event] {
        var request = HTTPClientRequest(
            url: "http://127.0.0.1:\(stage.gateways[gateway].port)/api/v1/live-activity/broadcasts/\(id)/events")
        request.headers.add(name: "X-Api-Key", value: stage.tenant.apiKey)
        if let lastSeen { request.headers.add(name: "Last-Event-ID", value: lastSeen) }
        let response = try await stage.http.execute(request, timeout: .seconds(120))
        #expect(response.status == .ok && response.headers["content-type"] == ["text/event-stream"])
        #expect(!response.headers["x-request-id"].isEmpty && !response.headers["x-ratelimit-limit"].isEmpty)
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        #expect(text.hasPrefix("retry: 1000\nid: "))
        return try text.components(separatedBy: "\n\n").filter { $0.contains("id: ") }.map { block in
            let lines = block.components(separatedBy: "\n").filter { !$0.hasPrefix("retry: ") }
            #expect(lines.count == 3 && lines[1].hasPrefix("event: ") && lines[2].hasPrefix("data: "))
            return Event(
                id: String(lines[0].dropFirst(4)), name: String(lines[1].dropFirst(7)),
                data: try JSONDocument(parsing: Array(lines[2].dropFirst(6).utf8)))
        }
    }

    @Test("A stream from any gateway shows the growing counts and closes when the broadcast is done")
    func growing() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.push.maximumConnections = 1 }) { stage in
            try await stage.addDevices(3000)
            let id = try await stage.register(3000)
            var script = MockScript()
            script.latency = .fixed(.milliseconds(100))
            script.streamLimit = .init(usual: 200)
            let dead = WallTime.now().milliseconds + 600_000
            script.rules = [
                MockRule(.init(every: 30), .answer(status: 410, reason: "Unregistered", timestamp: dead))
            ]
            stage.mock.setScript(script)
            let begin = MonotonicTime.now()
            let answer = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            #expect(answer.status == 202 && answer["broadcast_id"]?.string != nil)
            let broadcast = try #require(answer["broadcast_id"]?.string)
            #expect(answer.headers["location"] == "/api/v1/live-activity/broadcasts/\(broadcast)")
            async let other = events(stage, broadcast, gateway: 1)
            async let polled = statuses(stage, broadcast)
            let events = try await events(stage, broadcast, gateway: 0)
            for list in [events, try await other] {
                expectNoFall(list.map(\.counts))
                #expect(list.last?.count("accepted") == 2900 && list.last?.counts["failed Unregistered"] == 100)
                #expect(list.count >= 3 && list.count { $0.name == "end" } == 1 && list.last?.name == "end")
                #expect(list.last?.state == "done" && list.dropLast().allSatisfy { $0.state != "done" })
                // At most ten a second, and the first and the last.
                let seconds = Double((MonotonicTime.now() - begin).nanoseconds) / 1e9
                #expect(Double(list.count) <= seconds * 10 + 2)
            }
            expectNoFall(try await polled)
            #expect(Set(events.map(\.id)).count == events.count)
            // A broadcast that has ended has one event, also for a client that has seen earlier ones.
            #expect(try await self.events(stage, broadcast, gateway: 1).map(\.name) == ["end"])
            let seen = try #require(events.first?.id)
            #expect(try await self.events(stage, broadcast, gateway: 1, lastSeen: seen).map(\.name) == ["end"])
            // A client that has seen the end gets 204, so that it does not reconnect.
            let end = try #require(events.last?.id)
            let last = try await stage.send(
                "GET", "/api/v1/live-activity/broadcasts/\(broadcast)/events", nil,
                headers: ["X-Api-Key": stage.tenant.apiKey, "Last-Event-ID": end])
            #expect(last.status == 204 && last.bytes.isEmpty)
        }
    }

    /// The location of an update that the provider takes eight seconds for.
    private func slowUpdate(_ stage: TestStage) async throws -> String {
        let id = try await stage.started(1)
        try await stage.syncAll(0..<1, id)
        stage.mock.setScript(.slow(.seconds(8)))
        let answer = try await stage.call("update", TestStage.body(id), headers: ["Prefer": "respond-async"])
        return try #require(answer.headers["location"])
    }

    @Test("A client that leaves frees its stream at once; one that only stops sending gets the end")
    func leaving() async throws {
        try await TestStage.run(configure: { $0.api.maximumEventStreams = 1 }) { stage in
            let location = try await slowUpdate(stage)
            let request =
                "GET \(location)/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(stage.tenant.apiKey)\r\n\r\n"
            let port = stage.gateways[0].port
            let texts = try await DispatchThread.value { () -> (String?, String?) in
                func open() throws -> (RawClient, String?) {
                    let client = try RawClient(port: port)
                    client.send(request)
                    // The last of a head's two ends of lines, or of a refusal's.
                    guard client.read(until: "\r\n\r\n")?.contains(" 200 ") == true else { return (client, nil) }
                    return (client, client.read(until: "\n\n"))
                }
                let first = try open().1
                let end = MonotonicTime.now() + .seconds(30)
                while MonotonicTime.now() < end {
                    let (client, event) = try open()
                    guard let event else { continue }
                    client.endSending()
                    return (first, event + (client.readToEnd() ?? ""))
                }
                return (first, nil)
            }
            #expect(try #require(texts.0).contains("event: progress"))
            // The broadcast still runs when the place is free again.
            let second = try #require(texts.1)
            #expect(second.contains("event: progress") && second.contains("event: end"), "\(second)")
        }
    }

    @Test("Foreign and unknown broadcasts, missing keys and more streams than the limit are refused")
    func refusals() async throws {
        try await TestStage.run(configure: { $0.api.maximumEventStreams = 1 }) { stage in
            let location = try await slowUpdate(stage)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            let path = "\(location)/events"
            #expect(try await stage.send("GET", path, nil, headers: ["X-Api-Key": other.apiKey]).status == 404)
            #expect(try await stage.send("GET", path, nil, headers: [:]).status == 401)
            let unknown = "/api/v1/live-activity/broadcasts/\(UniqueID.random())/events"
            #expect(try await stage.read(unknown).code == "NOT_FOUND")
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(stage.gateways[0].port)\(path)")
            request.headers.add(name: "X-Api-Key", value: stage.tenant.apiKey)
            let stream = try await stage.http.execute(request, timeout: .seconds(60))
            #expect(stream.status == .ok)
            let refused = try await stage.read(path)
            #expect(refused.status == 503 && refused.code == "OVERLOADED", "\(refused.text)")
            _ = try await stream.body.collect(upTo: 1 << 20)
            // The place is free again once the stream has been closed.
            let end = MonotonicTime.now() + .seconds(20)
            var again = try await stage.read(path)
            while again.status == 503, MonotonicTime.now() < end { again = try await stage.read(path) }
            #expect(again.status == 200)
        }
    }
}
