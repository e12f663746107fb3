import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

@Suite("Scripted answers")
struct RuleTests {
    private func outcomes(
        _ rules: [MockRule], _ requests: (TestMock) throws -> [TestRequest], seed: UInt64 = 1
    ) async throws -> [TestResult] {
        let mock = try TestMock { $0.seed = seed }
        var script = MockScript()
        script.rules = rules
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        return await client.send(try requests(mock))
    }

    @Test("A rule by token answers that token alone, with timestamp and retry-after")
    func byToken() async throws {
        let gone = MockRule(
            .init(tokens: ["AB02"]), .answer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123))
        let busy = MockRule(
            .init(tokens: ["ab03"]), .answer(status: 429, reason: "TooManyRequests", retryAfter: 7))
        let results = try await outcomes([gone, busy]) { mock in
            try ["ab01", "ab02", "AB02", "ab03"].map { try mock.push($0) }
        }
        #expect(results.map(\.status) == [200, 410, 410, 429])
        #expect(results[1].response?.body == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
        #expect(results[3].response?.headers["retry-after"] == "7")
    }

    @Test("Rules by event, by every nth push, after a number of pushes, and used up by their limit")
    func byCounts() async throws {
        let rules = [
            MockRule(.init(event: .end), .answer(status: 500, reason: "InternalServerError"), limit: 1),
            MockRule(.init(skip: 2, every: 3), .answer(status: 503, reason: "ServiceUnavailable")),
        ]
        let results = try await outcomes(rules) { mock in
            let updates = try (0..<9).map { _ in try mock.push() }
            return updates + [try mock.push(event: "end"), try mock.push(event: "end")]
        }
        #expect(results.map(\.status) == [200, 200, 200, 200, 503, 200, 200, 503, 200, 500, 200])
    }

    @Test("The first rule that matches decides, so an exception can stand before")
    func exception() async throws {
        let rules = [
            MockRule(.init(tokens: ["ab01"]), .accept), MockRule(.all, .answer(status: 500, reason: "X")),
        ]
        let results = try await outcomes(rules) { [try $0.push("ab01"), try $0.push("ab02")] }
        #expect(results.map(\.status) == [200, 500])
    }

    @Test("A rule for each nth connection leaves all others alone")
    func byConnection() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.rules = [MockRule(.init(connectionEvery: 3), .answer(status: 500, reason: "InternalServerError"))]
        mock.mock.setScript(script)
        var statuses: [Int?] = []
        for _ in 0..<4 {
            let client = try await TestClient.connect(to: mock)
            defer { client.stop() }
            statuses += await client.send([try mock.push(), try mock.push()]).map(\.status)
        }
        #expect(statuses == [500, 500, 200, 200, 200, 200, 500, 500])
    }

    @Test("A share is drawn from the seed: the same again, near what was asked, and other with another seed")
    func share() async throws {
        let rule = MockRule(.init(share: 0.25), .answer(status: 500, reason: "X"))
        let requests: (TestMock) throws -> [TestRequest] = { mock in
            let push = try mock.push()
            return Array(repeating: push, count: 1_000)
        }
        let first = try await outcomes([rule], requests, seed: 7).map(\.status)
        let second = try await outcomes([rule], requests, seed: 7).map(\.status)
        let third = try await outcomes([rule], requests, seed: 8).map(\.status)
        #expect(first == second)
        #expect(first != third)
        #expect((180...320).contains(first.count { $0 == 500 }))
    }

    @Test("Rules are for pushes that pass the checks")
    func checksFirst() async throws {
        let results = try await outcomes([MockRule(.all, .answer(status: 500, reason: "X"), limit: 1)]) { mock in
            [try mock.push("zz"), try mock.push(), try mock.push()]
        }
        #expect(results.map(\.status) == [400, 500, 200])
    }

    @Test("A silenced push is never answered, and the others go on")
    func silence() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.rules = [MockRule(.init(tokens: ["ab02"]), .silence)]
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let silenced = Task { await client.send(try mock.push("ab02")) }
        #expect(await mock.mock.waitFor(pushes: 1, timeout: deadline))
        #expect(await client.send(try mock.push("ab01")).status == 200)
        client.stop()
        // If the client's thread ends before it sees the close, the request times out.
        let result = try await silenced.value
        #expect(result.response == nil)
        #expect(mock.mock.counts().silenced == 1)
        #expect(mock.mock.ledgerEntries().map(\.answer) == [.none, .answered(status: 200, reason: nil)])
    }

    @Test("A stream is reset with the code asked for")
    func reset() async throws {
        let rules = [
            MockRule(.init(tokens: ["ab01"]), .reset(code: 7)), MockRule(.init(tokens: ["ab02"]), .reset(code: 2)),
        ]
        let results = try await outcomes(rules) { mock in try ["ab01", "ab02", "ab03"].map { try mock.push($0) } }
        #expect(results[0] == .reset(code: 7))
        #expect(results[1] == .reset(code: 2))
        #expect(results[2].status == 200)
    }

    @Test("Error replies can come without a body")
    func bodyless() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.omitsErrorBodies = true
        script.rules = [MockRule(.init(tokens: ["ab02"]), .answer(status: 410, reason: "Unregistered"))]
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send([try mock.push("ab02"), try mock.push("x")])
        #expect(results.map(\.status) == [410, 400])
        #expect(results.allSatisfy { $0.response?.body == "" && $0.response?.isHeadersOnly == true })
        #expect(mock.mock.counts().answersByReason == ["Unregistered": 1, "BadDeviceToken": 1])
    }

    @Test("An answer takes the latency asked for, and a rule may have its own")
    func latency() async throws {
        let mock = try TestMock()
        var script = MockScript()
        // Longer than the client waits.
        script.latency = .fixed(.seconds(3_600))
        script.rules = [MockRule(.init(tokens: ["ab02"]), .accept, latency: MockLatency.none)]
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.send(try mock.push("ab02")).status == 200)
        script.latency = .fixed(.milliseconds(150))
        mock.mock.setScript(script)
        let quickEnd = MonotonicTime.now()
        let slow = await client.send([try mock.push("ab01"), try mock.push("ab01"), try mock.push("zz")])
        #expect(slow.map(\.status) == [200, 200, 400])
        #expect(MonotonicTime.now() - quickEnd >= .milliseconds(150))
        #expect(mock.mock.counts().undeliveredAnswers == 0)
        #expect(mock.mock.ledgerEntries().allSatisfy { $0.answerWasSent })
    }

    @Test("An answer whose body the client's window holds back to the end is counted as undelivered")
    func heldBack() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock, windowSize: 0)
        let waiting = Task { await client.send(try mock.push("zz")) }
        #expect(await mock.mock.waitFor(pushes: 1, timeout: deadline))
        #expect(await client.send(try mock.push()).status == 200)
        #expect(mock.mock.ledgerEntries().map(\.answerWasSent) == [true, true])
        client.stop()
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.undeliveredAnswers == 1 })
        #expect(mock.mock.ledgerEntries().map(\.answerWasSent) == [false, true])
        waiting.cancel()
    }

    @Test("Answers that wait when their connection ends are counted as undelivered")
    func undelivered() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.latency = .fixed(.seconds(60))
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        let waiting = Task { await client.send([try mock.push(), try mock.push()]) }
        #expect(await mock.mock.waitFor(pushes: 2, timeout: deadline))
        client.stop()
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.undeliveredAnswers == 2 })
        #expect(mock.mock.ledgerEntries().map(\.answerWasSent) == [false, false])
        #expect(mock.mock.counts().accepted == 2)
        waiting.cancel()
    }
}
