import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import RedisServerProcess
import TestStore
import Testing
import TimeCore

/// The routes that must withstand a storm of reports. They are answered in front of the router, on the same
/// connections as all other requests.
@Suite("The path of reports", .serialized)
struct ReportPathTests {
    /// Sends pieces over one connection and gives the replies, when the gateway has closed it.
    private func exchange(_ stage: TestStage, _ pieces: [String], pause: UInt32 = 0) async throws -> [RawReply] {
        let port = stage.gateways[0].port
        let text = try await DispatchThread.value {
            let client = try RawClient(port: port)
            for piece in pieces {
                guard client.send(piece) else { break }
                if pause > 0 { DispatchThread.pause(milliseconds: pause) }
            }
            return client.readToEnd()
        }
        let replies = try #require(text, "the connection was not closed")
        return try #require(RawReply.all(in: replies), "\(replies)")
    }

    private func request(
        _ stage: TestStage, _ line: String, _ body: String?, id: String = "r", more: [String] = [], last: Bool = false,
        version: String = "1.1"
    ) -> String {
        var lines = [
            "\(line) HTTP/\(version)", "Host: x", "X-Request-Id: \(id)", "X-Sdk-Key: \(stage.tenant.sdkKey)",
            "X-Api-Key: \(stage.tenant.apiKey)", "Content-Type: application/json",
        ]
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        if last { lines.append("Connection: close") }
        return (lines + more).joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    private static let device = """
        {"insider_id":"zoe","udid":"z1","platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true,\
        "environment":"production"}
        """

    private func sync(_ number: Int, _ id: String) -> String {
        TestStage.syncBody(number, #""activity_id":"\#(id)""#)
    }

    @Test("Requests of all kinds in one write are answered in their order")
    func pipelined() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            for isRouterLast in [false, true] {
                var texts: [String] = []
                var expected: [Int] = []
                func add(_ status: Int, _ line: String, _ body: String?, last: Bool = false) {
                    texts.append(request(stage, line, body, id: "r\(texts.count)", last: last))
                    expected.append(status)
                }
                for number in 0..<3 {
                    add(200, "POST /api/v1/sdk/sync", sync(number, id))
                    add(200, "GET /health/ready", nil)
                    add(200, "PUT /api/v1/sdk/device", Self.device)
                    add(200, "PUT /api/v1/sdk/push-to-start-token", #"{"insider_id":"zoe","udid":"z1","token":"0a"}"#)
                    add(404, "GET /nothing", nil)
                    add(400, "POST /api/v1/live-activity/start", "{")
                    add(400, "POST /api/v1/live-activity/start", "{")
                    add(404, "POST /api/v1/sdk/dismissed", #"{"insider_id":"q","udid":"q","activity_id":"q"}"#)
                    add(404, "POST /api/v1/sdk/sync", sync(77, id))
                    add(405, "GET /api/v1/sdk/sync", nil)
                    add(400, "POST /api/v1/sdk/sync", "{")
                }
                if isRouterLast {
                    add(200, "GET /health/live", nil, last: true)
                } else {
                    add(200, "POST /api/v1/sdk/sync", sync(0, id), last: true)
                }
                let replies = try await exchange(stage, [texts.joined()])
                #expect(replies.map(\.status) == expected)
                #expect(replies.map(\.requestID) == expected.indices.map { "r\($0)" })
            }
        }
    }

    @Test("A body may come in any pieces, announced or chunked, also together with the next request")
    func pieces() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            let one = request(stage, "POST /api/v1/sdk/sync", sync(0, id), id: "a")
            let body = sync(0, id)
            let middle = body.utf8.count / 2
            let parts = [String(decoding: Array(body.utf8)[..<middle], as: UTF8.self), String(body.dropFirst(middle))]
            let chunks = parts.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
            let chunked =
                request(
                    stage, "POST /api/v1/sdk/sync", nil, id: "b", more: ["Transfer-Encoding: chunked"]) + chunks
            let last = request(stage, "POST /api/v1/sdk/sync", sync(0, id), id: "c", last: true)
            let bytes = (one + chunked + last).map { String($0) }
            let replies = try await exchange(stage, bytes, pause: 1)
            #expect(replies.map(\.requestID) == ["a", "b", "c"])
            #expect(replies.map(\.status) == [200, 200, 200], "\(replies)")
            let whole = try await exchange(stage, [one + chunked + last])
            #expect(whole.map(\.status) == [200, 200, 200])
        }
    }

    @Test("A body that is too large gets 413, announced or not, and its connection ends")
    func tooLarge() async throws {
        try await TestStage.run { stage in
            let large = #"{"a":"\#(String(repeating: "x", count: 400_000))"}"#
            let announced = try await exchange(stage, [request(stage, "POST /api/v1/sdk/sync", large)])
            #expect(announced.map(\.status) == [413], "\(announced)")
            #expect(announced.first?.body.contains("REQUEST_TOO_LARGE") == true)
            let head = request(stage, "PUT /api/v1/sdk/device", nil, more: ["Transfer-Encoding: chunked"])
            let chunk = "10000\r\n\(String(repeating: "x", count: 0x10000))\r\n"
            let chunked = try await exchange(stage, [head] + Array(repeating: chunk, count: 6))
            #expect(chunked.map(\.status) == [413])
            let unknown = request(stage, "PUT /api/v1/sdk/device", large, last: true)
                .replacing(stage.tenant.sdkKey, with: "ffs_unknown")
            #expect(try await exchange(stage, [unknown]).map(\.status) == [401])
            for path in ["POST /api/v1/sdk/sync", "POST /api/v1/sdk/schedule"] {
                let fits = #"{"a":"\#(String(repeating: "x", count: 16_384 - 8))"}"#
                let answer = try await exchange(stage, [request(stage, path, fits, last: true)])
                #expect(answer.map(\.status) == [400], "\(path): \(answer)")
                #expect(answer.first?.body.contains("VALIDATION_FAILED") == true)
                let longer = try await exchange(stage, [request(stage, path, fits + " ", last: true)])
                #expect(longer.map(\.status) == [413], "\(path): \(longer)")
                #expect(longer.first?.body.contains("larger than the maximum of 16384 bytes") == true)
            }
        }
    }

    @Test("A refusal does not wait for the body, and the connection serves the next request")
    func refusedEarly() async throws {
        try await TestStage.run { stage in
            let refused = request(stage, "POST /api/v1/sdk/sync", nil, id: "a", more: ["Content-Length: 6"])
                .replacing(stage.tenant.sdkKey, with: "ffs_unknown")
            let next = request(stage, "PUT /api/v1/sdk/device", Self.device, id: "b", last: true)
            let replies = try await exchange(stage, [refused, "123", "456" + next], pause: 300)
            #expect(replies.map(\.requestID) == ["a", "b"])
            #expect(replies.map(\.status) == [401, 200])
        }
    }

    @Test(
        "A body that breaks off gets 400, a head that breaks off is closed, and a client that says no more is answered")
    func endsEarly() async throws {
        try await TestStage.run { stage in
            let broken = request(stage, "POST /api/v1/sdk/sync", nil, more: ["Transfer-Encoding: chunked"]) + "zz\r\n"
            let replies = try await exchange(stage, [broken])
            #expect(replies.map(\.status) == [400])
            #expect(replies.first?.body.contains("BAD_REQUEST") == true)
            let whole = request(stage, "PUT /api/v1/sdk/device", Self.device)
            let port = stage.gateways[0].port
            let text = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(whole)
                client.endSending()
                return client.readToEnd()
            }
            #expect(try #require(RawReply.all(in: text ?? "")).map(\.status) == [200])
            // Garbage behind a report does not overtake its answer.
            let garbage = try await exchange(stage, [whole + "\u{1}\u{2} x\r\n\r\n"])
            #expect(garbage.map(\.status) == [200, 400], "\(garbage)")
        }
    }

    @Test("Slow heads and bodies of reports end at their deadlines")
    func slow() async throws {
        try await TestStage.run(configure: {
            $0.api.headDeadline = .seconds(2)
            $0.api.bodyDeadline = .seconds(1)
        }) { stage in
            let head = request(stage, "POST /api/v1/sdk/sync", nil, more: ["Content-Length: 1000"])
            let dribble = try await exchange(stage, [head] + Array(repeating: "x", count: 60), pause: 50)
            #expect(dribble.map(\.status) == [408], "\(dribble)")
            #expect(dribble.first?.body.contains("REQUEST_TIMEOUT") == true)
            // A body that stops gets the same answer, even if it had not begun.
            for beginning in ["{", ""] {
                let stopped = try await exchange(stage, [head + beginning])
                #expect(stopped.map(\.status) == [408], "\(stopped)")
                #expect(stopped.first?.body.contains("REQUEST_TIMEOUT") == true)
            }
            #expect(try await exchange(stage, ["POST /api/v1/sdk/sync HTTP/1.1\r\nA: "]).isEmpty)
            // The time for the next head begins with the answer, not with the connection.
            let device = request(stage, "PUT /api/v1/sdk/device", Self.device)
            let start = MonotonicTime.now()
            let kept = try await exchange(stage, [device, device, device], pause: 1200)
            #expect(kept.map(\.status) == [200, 200, 200])
            #expect(MonotonicTime.now() - start >= .seconds(4))
        }
    }

    @Test("Paths are matched as in the router; HTTP/1.0 and Connection: close end the connection")
    func paths() async throws {
        try await TestStage.run { stage in
            for path in ["/api/v1/sdk/device?x=/y", "/api/v1/sdk/device/", "//api/v1//sdk/device"] {
                let replies = try await exchange(stage, [request(stage, "PUT \(path)", Self.device, last: true)])
                #expect(replies.map(\.status) == [200], "\(path)")
                #expect(replies.first?.headers["connection"] == "close")
            }
            let old = try await exchange(
                stage, [request(stage, "PUT /api/v1/sdk/device", Self.device, version: "1.0")])
            #expect(old.map(\.status) == [200])
            for (path, status) in [
                ("/api/v1/sdk/Device", 404), ("/api/v1/sdk/device/x", 404), ("/api/v1/sdk", 404),
                ("/api/v1/sdk/sync", 405),
            ] {
                let replies = try await exchange(stage, [request(stage, "PUT \(path)", Self.device, last: true)])
                #expect(replies.map(\.status) == [status], "\(path)")
            }
        }
    }

    @Test("Replies have the contract's form and headers")
    func form() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            let reply = try await stage.sync(0, id)
            #expect(reply.text == #"{"status":"success","activity_id":"\#(id)"}"#)
            #expect(reply.headers["content-type"] == "application/json")
            #expect(reply.headers["x-request-id"].flatMap { UniqueID($0) } != nil)
            #expect(reply.headers["date"]?.hasSuffix(" GMT") == true && reply.headers["date"]?.utf8.count == 29)
            let mad = try await stage.report("PUT", "device", Self.device, headers: ["X-Request-Id": "a b"])
            #expect(mad.text == #"{"status":"success"}"#)
            #expect(mad.headers["x-request-id"].flatMap { UniqueID($0) } != nil)
        }
    }

    @Test("Reports beyond the limit of reports under way get 503 OVERLOADED at once, and are accepted again afterwards")
    func overload() async throws {
        try await TestStage.run(
            configure: {
                // One of them is kept for others.
                $0.api.maximumReports = 4
                $0.api.admissionLifetime = .seconds(60)
            }
        ) { stage in
            let id = try await stage.started(8)
            // Every event loop knows the key from now on: it has some of these connections.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 { group.addTask { _ = try await stage.sync(number, id) } }
                try await group.waitForAll()
            }
            stage.redis.pause()
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for number in 0..<8 { group.addTask { try await stage.sync(number, id) } }
                var answers: [TestStage.Answer] = []
                while answers.count < 5, let answer = try await group.next() { answers.append(answer) }
                // These answers came while the store was paused.
                #expect(answers.allSatisfy { $0.status == 503 && $0.code == "OVERLOADED" }, "\(answers)")
                #expect(answers.allSatisfy { $0.headers["retry-after"] == "1" && $0["retry_after"]?.int64 == 1 })
                stage.redis.resume()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status) == [200, 200, 200], "\(answers.map(\.text))")
            try await stage.syncAll(0..<1, id)
            for number in 0..<8 { #expect(try await stage.sync(number, id).status == 200) }
        }
    }

    @Test("A revoked or disabled key opens reports for a limited time only")
    func knownKeys() async throws {
        try await TestStage.run(configure: { $0.api.admissionLifetime = .milliseconds(700) }) { stage in
            func answered(_ status: Int) async throws {
                let end = MonotonicTime.now() + .seconds(20)
                while try await stage.report("PUT", "device", Self.device).status != status {
                    try #require(MonotonicTime.now() < end)
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            try await answered(200)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: false)
            try await answered(202)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: true)
            try await answered(200)
            let rotated = try await stage.store.tenants.freshKey(.sdk, of: stage.tenant.tenantID)
            try await answered(401)
            let fresh = ["X-Sdk-Key": try #require(rotated)]
            #expect(try await stage.report("PUT", "device", Self.device, headers: fresh).status == 200)
        }
    }

    @Test("A token is written, and an earlier end is found, even if the store does not know the script")
    func unknownScript() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            #expect(try await stage.sync(0, id).status == 200)
            _ = try await stage.redis(RedisCommand("SCRIPT", "FLUSH"))
            #expect(try await stage.sync(1, id).status == 200)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 2)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 2)
        }
    }

    @Test("A device that reports after the end gets the end at once, even from a cached activity")
    func lateEnd() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(1, id).status == 200)
            // The start's two, and an end for each.
            #expect(await stage.mock.waitFor(pushes: 4, timeout: .seconds(20)))
            let tokens = stage.pushes(.end).map(\.token)
            #expect(tokens == [0, 1].map { TestStage.hex(TestStage.updateToken($0)) })
        }
    }
}
