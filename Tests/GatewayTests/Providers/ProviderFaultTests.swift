import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Answers and faults of the provider", .serialized)
struct ProviderFaultTests {
    private func hex(_ numbers: Range<Int>, _ token: (Int) -> [UInt8]) -> Set<String> {
        Set(numbers.map { TestStage.hex(token($0)) })
    }

    @Test("Tokens that the provider calls dead are dropped, unless they were reported after its timestamp")
    func deadTokens() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(4)
            let id = try await stage.register(4)
            var script = MockScript()
            let past = WallTime.now().milliseconds - 3_600_000
            let future = WallTime.now().milliseconds + 3_600_000
            script.rules = [
                MockRule(
                    .init(tokens: hex(0..<1, TestStage.startToken)),
                    .answer(status: 410, reason: "Unregistered", timestamp: future)),
                MockRule(
                    .init(tokens: hex(1..<2, TestStage.startToken)),
                    .answer(status: 410, reason: "ExpiredToken", timestamp: past)),
            ]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 2)
            #expect(start.failed("Unregistered") == 1)
            #expect(start.failed("ExpiredToken") == 1)
            stage.mock.setScript(MockScript())
            // The first has lost its token, the second has not.
            let again = try await stage.call(
                "register",
                """
                {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<4))],"ends_at":"\(TestStage.endsAt())"}
                """)
            #expect(again["registered_devices"]?.int64 == 3)
            #expect(again.skipped("no_push_to_start_token") == 1)
        }
    }

    @Test("A dead update token is dropped: the device counts as not synced until it reports again")
    func deadUpdateToken() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            var script = MockScript()
            script.rules = [
                MockRule(
                    .init(tokens: hex(0..<1, TestStage.updateToken)),
                    .answer(status: 410, reason: "Unregistered", timestamp: WallTime.now().milliseconds + 60_000))
            ]
            stage.mock.setScript(script)
            let first = try await stage.call("update", TestStage.body(id))
            #expect(first.accepted == 1 && first.failed("Unregistered") == 1)
            let second = try await stage.call("update", TestStage.body(id))
            #expect(second.accepted == 1 && second.skipped("not_synced") == 1)
        }
    }

    @Test("A push that is answered with any 2xx is accepted, and no start is sent twice", arguments: [201, 202, 204])
    func acceptances(status: Int) async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(200)
            let id = try await stage.register(200)
            var script = MockScript()
            script.rules = [MockRule(.init(every: 2), .answer(status: status, reason: ""))]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 200 && start.status == 200, "\(start.text)")
            let tokens = stage.pushes(.start).map(\.token)
            #expect(tokens.count == 200 && Set(tokens).count == 200)
            try await stage.syncAll(0..<200, id)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 200)
            #expect(stage.pushes(.update).count == 200)
        }
    }

    @Test("Busy answers are tried again, and the counts equal the ledger")
    func busyAnswers() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(300)
            let id = try await stage.register(300)
            var script = MockScript()
            script.rules = [
                MockRule(.init(every: 10), .answer(status: 503, reason: "ServiceUnavailable"), limit: 20),
                MockRule(.init(every: 15), .answer(status: 429, reason: "TooManyRequests"), limit: 10),
            ]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 300, "\(start.text)")
            let accepted = stage.pushes(.start).filter { $0.answer == .answered(status: 200, reason: nil) }
            #expect(accepted.count == 300 && Set(accepted.map(\.token)).count == 300)
        }
    }

    @Test("GOAWAY, refused streams and a stream limit of 1 at first lose nothing and send nothing twice")
    func connectionFaults() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.debug)) { stage in
            try await stage.addDevices(3000)
            let id = try await stage.register(3000)
            var script = MockScript()
            script.streamLimit = .init(beforeFirstValidPush: 1)
            script.goAway = .init(afterStreams: 200, lastStream: .minus(20), limit: 3)
            script.rules = [MockRule(.init(every: 100), .reset(code: 7))]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 3000, "\(start.text)")
            let accepted = stage.pushes(.start).filter { $0.answer == .answered(status: 200, reason: nil) }
            #expect(accepted.count == 3000)
            #expect(Set(accepted.map(\.token)) == hex(0..<3000, TestStage.startToken))
            #expect(stage.mock.counts().streamLimitViolations == 0)
            #expect(stage.mock.counts().protocolErrors == 0)
            // The normal end of a connection is no failure.
            let lines = try log.read()
            #expect(!lines.contains { $0.message == "provider connection lost" })
            let goAways = lines.filter { $0.message == "provider sent GOAWAY" }
            #expect(!goAways.isEmpty && goAways.allSatisfy { $0.level == "debug" && $0.metadata["code"] == "NO_ERROR" })
        }
    }

    @Test("A start without an answer counts as unknown and is not sent again; an update is")
    func silence() async throws {
        try await TestStage.run(configure: { $0.push.pushDeadline = .seconds(1) }) { stage in
            try await stage.addDevices(20)
            let id = try await stage.register(20)
            var script = MockScript()
            script.rules = [MockRule(.init(tokens: hex(3..<4, TestStage.startToken)), .silence)]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 19 && start.failed("unknown") == 1, "\(start.text)")
            #expect(stage.pushes(.start).count == 20)
            try await stage.syncAll(0..<20, id)
            script.rules = [MockRule(.init(tokens: hex(5..<6, TestStage.updateToken)), .silence, limit: 1)]
            stage.mock.setScript(script)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 20)
        }
    }

    @Test("While the provider cannot be reached a broadcast waits, and goes on when it can")
    func unreachable() async throws {
        try await TestStage.run(configure: { $0.push.initialBackoff = .milliseconds(50) }) { stage in
            try await stage.addDevices(100)
            let id = try await stage.register(100)
            var script = MockScript()
            script.connections = .init(.refuse, for: .seconds(1))
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 100, "\(start.text)")
            #expect(stage.pushes(.start).count == 100)
        }
    }

    @Test("A reply that would wait too long becomes a 202 with a place to look, and the broadcast goes on")
    func respondAsync() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(50)
            let id = try await stage.register(50)
            stage.mock.setScript(.slow(.milliseconds(300)))
            let start = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            #expect(start.status == 202)
            let broadcast = try #require(start["broadcast_id"]?.string)
            let location = try #require(start.headers["location"])
            #expect(location == "/api/v1/live-activity/broadcasts/\(broadcast)")
            #expect(await stage.mock.waitFor(pushes: 50, timeout: .seconds(20)))
            let key = ["X-Api-Key": stage.tenant.apiKey]
            let end = MonotonicTime.now() + .seconds(20)
            var status = try await stage.send("GET", location, nil, headers: key)
            while status["state"]?.string != "done", MonotonicTime.now() < end {
                try await Task.sleep(for: .milliseconds(20))
                status = try await stage.send("GET", location, nil, headers: key)
            }
            #expect(status["state"]?.string == "done")
            #expect(status["accepted"]?.int64 == 50 && status["total"]?.int64 == 50)
        }
    }

    @Test("Beyond the broadcasts that may be under way a start gets 503 OVERLOADED, and takes no lock")
    func overloaded() async throws {
        try await TestStage.run(configure: { $0.api.maximumBroadcasts = 1 }) { stage in
            try await stage.addDevices(1)
            let (first, second) = (try await stage.register(1), try await stage.register(1))
            stage.mock.setScript(.slow(.seconds(1)))
            #expect(
                try await stage.call("start", TestStage.body(first), headers: ["Prefer": "respond-async"]).status == 202
            )
            let refused = try await stage.call("start", TestStage.body(second))
            #expect(refused.status == 503 && refused.code == "OVERLOADED")
            #expect(refused.headers["retry-after"] != nil)
            #expect(await stage.mock.waitFor(pushes: 1, timeout: .seconds(20)))
            let end = MonotonicTime.now() + .seconds(20)
            var again = refused
            while again.status == 503, MonotonicTime.now() < end {
                try await Task.sleep(for: .milliseconds(50))
                again = try await stage.call("start", TestStage.body(second))
            }
            #expect(again.accepted == 1)
        }
    }

    @Test("A gateway that stops answers 503 SHUTTING_DOWN, and lets the broadcast under way end and be answered")
    func shuttingDown() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(10)
            let id = try await stage.register(10)
            stage.mock.setScript(.slow(.seconds(2)))
            async let start = stage.call("start", TestStage.body(id))
            #expect(await stage.mock.waitFor(pushes: 10, timeout: .seconds(20)))
            let stopping = Task { await stage.gateways[0].stop() }
            let end = MonotonicTime.now() + .seconds(20)
            var refused = try await stage.call("start", TestStage.body(id))
            while refused.status == 409, MonotonicTime.now() < end {
                refused = try await stage.call("start", TestStage.body(id))
            }
            #expect(refused.status == 503 && refused.code == "SHUTTING_DOWN", "\(refused.text)")
            #expect(try await stage.ready().code == "SHUTTING_DOWN")
            let report = try await stage.sync(0, id)
            #expect(report.status == 503 && report.code == "SHUTTING_DOWN", "\(report.text)")
            #expect(try await start.accepted == 10)
            await stopping.value
        }
    }

    @Test("An update that meets an older one still under way takes over its remaining devices")
    func superseding() async throws {
        try await TestStage.run(configure: { $0.push.maximumConnections = 1 }) { stage in
            let id = try await stage.started(1200)
            try await stage.syncAll(0..<1200, id)
            stage.mock.setScript(.slow(.milliseconds(400), streams: 100))
            let recorded = try await stage.field("order", of: id).flatMap { Int($0) } ?? 0
            let answers = try await withThrowingTaskGroup(of: (Int, TestStage.Answer).self) { group in
                for number in 1...5 {
                    group.addTask { (number, try await stage.call("update", TestStage.body(id, number: number))) }
                    try await Task.sleep(for: .milliseconds(100))
                    // The store decides which update is the newest. Calls may overtake each other.
                    try await stage.eventually("update \(number) is not recorded") {
                        try await stage.field("order", of: id) == "\(recorded + number)"
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(answers.values.allSatisfy { $0.status == 200 })
            for answer in answers.values { #expect((answer.accepted ?? 0) + answer.skipped("superseded") == 1200) }
            #expect(answers[5]?.accepted == 1200)
            let updates = stage.pushes(.update)
            #expect(updates.count < 5 * 1200)
            for (_, pushes) in Dictionary(grouping: updates, by: \.token) {
                let numbers = pushes.compactMap(\.contentNumber)
                #expect(numbers == numbers.sorted() && numbers.last == 5)
            }
        }
    }
}
