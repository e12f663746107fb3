import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import ScrapedMetrics
import Testing
import TimeCore

/// One tenant takes all that it can get; another one is served as if it were alone.
@Suite("Shares of tenants", .serialized)
struct ShareTests {
    private func used(_ stage: TestStage, _ resource: String) async throws -> Double {
        try await stage.metrics().value("fanfare_share_used", ["resource": resource]) ?? -1
    }

    private func refusals(_ stage: TestStage, _ resource: String) async throws -> Double {
        try await stage.metrics().value("fanfare_share_refusals_total", ["resource": resource]) ?? -1
    }

    /// The use and the limit of a resource in a tenant's reply.
    private func told(_ stage: TestStage, _ key: String, _ resource: String) async throws -> [Int64?] {
        let answer = try await stage.read("/api/v1/limits", key: key)
        let share = try #require(answer.element("shares", named: resource), "\(answer.text)")
        return [try share.member("used")?.int64, try share.member("limit")?.int64]
    }

    @Test("Slow uploads leave a place for another tenant, and are ended when places are scarce")
    func uploads() async throws {
        try await TestStage.run(configure: {
            $0.api.maximumUploads = 8
            $0.api.uploadWindow = .seconds(3)
        }) { stage in
            let neighbor = try await Neighbor(stage)
            let port = stage.gateways[0].port
            let head =
                "PUT /api/v1/segments/vip HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(stage.tenant.apiKey)\r\n"
                + "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n"
            let clients = try await DispatchThread.value {
                try (0..<8).map { _ in
                    let client = try RawClient(port: port)
                    client.send(head)
                    return client
                }
            }
            try await stage.eventually("one too many is not refused") { try await refusals(stage, "uploads") == 1 }
            #expect(try await used(stage, "uploads") == 7)
            #expect(try await told(stage, stage.tenant.apiKey, "uploads") == [7, 7])
            #expect(try await told(stage, neighbor.secrets.apiKey, "uploads") == [0, 7])
            let answer = try await neighbor.call(
                "PUT", "segments/vip", "x\ny\n", headers: ["Content-Type": "text/csv"])
            #expect(answer.status == 200 && answer["users"]?.int64 == 2, "\(answer.text)")
            // They go until it is tight no more: four of eight.
            try await stage.eventually("they do not make way") { try await used(stage, "uploads") == 4 }
            let answers = try await DispatchThread.value {
                clients.map { client -> String in
                    client.send("0\r\n\r\n")
                    client.endSending()
                    return client.readToEnd() ?? ""
                }
            }
            #expect(answers.count { $0.contains("408 Request Timeout") && $0.contains("slower than 1024") } == 3)
            #expect(answers.count { $0.contains("503 Service Unavailable") } == 1)
            #expect(answers.count { $0.contains("200 OK") } == 4, "\(answers)")
            try await stage.eventually("a place is lost") { try await used(stage, "uploads") == 0 }
        }
    }

    @Test("Unfinished bodies of one SDK key stay within the memory, and leave the share of others")
    func bodies() async throws {
        let budget = 2 << 20
        try await TestStage.run(configure: {
            $0.api.maximumBufferedBytes = budget
            $0.api.maximumBodyBytes = 200_000
            $0.api.admissionLifetime = .seconds(60)
        }) { stage in
            // Bytes that arrive before their key is known have a share of their own.
            #expect(try await stage.report("POST", "sync", "{}").status == 400)
            let port = stage.gateways[0].port
            let head =
                "PUT /api/v1/sdk/device HTTP/1.1\r\nHost: x\r\nX-Sdk-Key: \(stage.tenant.sdkKey)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 16384\r\n\r\n"
            let part = String(repeating: " ", count: 16_000)
            let clients = try await DispatchThread.value {
                try (0..<200).map { _ in
                    let client = try RawClient(port: port)
                    client.send(head)
                    client.send(part)
                    return client
                }
            }
            try await stage.eventually("none is refused") { try await refusals(stage, "body_bytes") > 0 }
            // The tenant's own systems, and another tenant's, with bodies that do not come in one piece.
            let neighbor = try await Neighbor(stage)
            let most = Int64(budget - (budget + 8) / 9)
            let devices = "device_body_bytes"
            // Once all of them have been read, nothing changes any more.
            try await stage.eventually("the tenant is told of something else than what is held") {
                let held = try await used(stage, "body_bytes")
                let told = try await told(stage, stage.tenant.apiKey, devices)
                return held > Double(budget) / 2 && held <= Double(most) && told == [Int64(held), most]
            }
            #expect(try await told(stage, stage.tenant.apiKey, "body_bytes") == [0, most])
            #expect(try await told(stage, neighbor.secrets.apiKey, devices) == [0, most])
            for key in [stage.tenant.apiKey, neighbor.secrets.apiKey] {
                let text = #"{"activity_type":"A"\#(String(repeating: " ", count: 150_000))}"#
                let answer = try await stage.send(
                    "POST", "/api/v1/live-activity/register", text,
                    headers: ["X-Api-Key": key, "Content-Type": "application/json"])
                #expect(answer.status == 400, "\(answer.text)")
            }
            let answers = try await DispatchThread.value {
                for client in clients { client.endSending() }
                return clients.compactMap { $0.readToEnd() }
            }
            let refused = answers.filter { $0.contains("503 Service Unavailable") }
            #expect(refused.count == Int(try await refusals(stage, "body_bytes")))
            #expect(refused.allSatisfy { $0.contains("OVERLOADED") && $0.contains("Retry-After: 1") })
            try await stage.eventually("memory is lost") { try await used(stage, "body_bytes") == 0 }
        }
    }

    @Test("While the provider is down one tenant's starts leave room for another's")
    func broadcasts() async throws {
        try await TestStage.run(configure: { $0.api.maximumBroadcasts = 10 }) { stage in
            try await stage.addDevices(1)
            var ids: [String] = []
            for _ in 0..<20 { ids.append(try await stage.register(1)) }
            stage.mock.setScript(.slow(.seconds(600)))
            let neighbor = try await Neighbor(stage)
            // All at once: what is let in counts before it is recorded, and for a moment both may count.
            let async = ["Prefer": "respond-async"]
            let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for id in ids {
                    group.addTask { (id, try await stage.call("start", TestStage.body(id), headers: async).status) }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1.0] = $1.1 }
            }
            var refused = ids.filter { statuses[$0] == 503 }
            #expect(statuses.values.allSatisfy { [202, 503].contains($0) } && refused.count >= 12, "\(statuses)")
            try await stage.eventually("the tenant does not get what it may have") {
                while let id = refused.first,
                    try await stage.call("start", TestStage.body(id), headers: async).status == 202
                {
                    refused.removeFirst()
                }
                return refused.count <= 12
            }
            #expect(refused.count == 12)
            let (own, others) = (stage.tenant.apiKey, neighbor.secrets.apiKey)
            try await stage.eventually("what was let in counts twice") {
                try await told(stage, own, "broadcasts") == [8, 8]
            }
            #expect(try await told(stage, others, "broadcasts") == [0, 8])
            // One more with the weight of ten.
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, limits: [(.weight, 10)])
            #expect(try await stage.call("start", TestStage.body(refused[0]), headers: async).status == 202)
            #expect(try await stage.call("start", TestStage.body(refused[1]), headers: async).status == 503)
            #expect(try await neighbor.start().status == 202)
            #expect(try await told(stage, own, "broadcasts") == [9, 9])
            #expect(try await told(stage, others, "broadcasts") == [1, 8])
            stage.mock.setScript(MockScript())
        }
    }

    @Test("Event streams of one tenant leave one for another")
    func eventStreams() async throws {
        try await TestStage.run(configure: { $0.api.maximumEventStreams = 4 }) { stage in
            stage.mock.setScript(.slow(.seconds(600)))
            try await stage.addDevices(1)
            let start = try await stage.call(
                "start", TestStage.body(try await stage.register(1)), headers: ["Prefer": "respond-async"])
            let neighbor = try await Neighbor(stage)
            let other = try await neighbor.start()
            let port = stage.gateways[0].port
            func open(_ answer: TestStage.Answer, _ key: String) async throws -> (client: RawClient, head: String) {
                let path = try #require(answer.headers["location"], "\(answer.text)")
                return try await DispatchThread.value {
                    let client = try RawClient(port: port)
                    client.send("GET \(path)/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(key)\r\n\r\n")
                    return (client, client.read(until: "\r\n\r\n") ?? "")
                }
            }
            let (own, others) = (stage.tenant.apiKey, neighbor.secrets.apiKey)
            var streams: [RawClient] = []
            for number in 0..<4 {
                let stream = try await open(start, own)
                #expect(stream.head.contains(number < 3 ? "200 OK" : "503 Service Unavailable"), "\(stream.head)")
                streams.append(stream.client)
            }
            #expect(try await told(stage, own, "event_streams") == [3, 3])
            #expect(try await told(stage, others, "event_streams") == [0, 3])
            let stream = try await open(other, others)
            #expect(stream.head.contains("200 OK"), "\(stream.head)")
            #expect(try await open(other, others).head.contains("503 Service Unavailable"))
            #expect(try await told(stage, own, "event_streams") == [3, 3])
            #expect(try await told(stage, others, "event_streams") == [1, 3])
            #expect(try await used(stage, "event_streams") == 4)
            stage.mock.setScript(MockScript())
            withExtendedLifetime(streams) {}
        }
    }
}
