import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import MockFCM
import Testing
import TimeCore

@Suite("Broadcasts through FCM", .serialized)
struct FCMBroadcastTests {
    /// Every second phone is Android's.
    private static func isAndroid(_ number: Int) -> Bool { number % 2 == 1 }

    /// The data of a message, by name.
    private func data(_ message: MockFCM.Message) throws -> [String: String] {
        let root = try JSONDocument(parsing: message.body).root.member("message")
        let data = try #require(try root?.member("data"))
        return data.memberNames.reduce(into: [:]) { $0[$1] = (try? data.member($1))?.string }
    }

    private func expectOnce(
        _ fcm: MockFCM, _ event: MockFCM.Event, _ numbers: some Sequence<Int>,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let accepted = fcm.acceptedByToken(event)
        let expected = Dictionary(uniqueKeysWithValues: numbers.map { (TestStage.registrationToken($0), 1) })
        let isSame = accepted == expected
        #expect(isSame, "\(accepted.count) of \(expected.count) phones", sourceLocation: location)
    }

    @Test("A mixed segment through a whole life: each phone by its own provider, once for each event, byte for byte")
    func life() async throws {
        try await TestStage.runWithFCM { stage, fcm in
            try await stage.addPhones(0..<400, isAndroid: Self.isAndroid)
            let id = try await stage.register(400)
            let content =
                #"{"title":"Kick-\u006fff","message":"\"0:0\"","content_state":{"n": 1.0, "b":12345678901234567890 ,"x":"\u00e9\n"},"attributes":{"a" :[1e3]}}"#
            let start = try await stage.call("start", TestStage.body(id, content: content))
            #expect(start.accepted == 400 && start["cohorts", "fcm", "accepted"]?.int64 == 200, "\(start.text)")
            expectOnce(fcm, .start, (0..<400).filter(Self.isAndroid))
            #expect(stage.pushes(.start).count == 200)
            let message = try #require(fcm.messages().first)
            let data = try data(message)
            #expect(data["content_state"] == #"{"n": 1.0, "b":12345678901234567890 ,"x":"\u00e9\n"}"#)
            #expect(
                data["attributes"] == #"{"a" :[1e3]}"# && data["title"] == "Kick-off" && data["message"] == #""0:0""#)
            #expect(data["live_activity_id"] == id && data["live_activity_event"] == "start")
            #expect(message.path == "/v1/projects/fanfare-mock/messages:send")

            for number in (0..<100).filter(Self.isAndroid) { #expect(try await stage.shown(number, id).status == 200) }
            for number in 0..<100 where !Self.isAndroid(number) { _ = try await stage.sync(number, id) }
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 100 && update.skipped("not_synced") == 300, "\(update.text)")
            expectOnce(fcm, .update, (0..<100).filter(Self.isAndroid))

            let end = try await stage.call("end", TestStage.body(id))
            #expect(end.accepted == 100 && end.skipped("not_synced") == 300, "\(end.text)")
            expectOnce(fcm, .end, (0..<100).filter(Self.isAndroid))
            // A phone that reports late is sent the end.
            #expect(try await stage.shown(399, id).status == 200)
            try await stage.eventually {
                fcm.acceptedByToken(.end)[TestStage.registrationToken(399)] == 1
            }
            #expect(fcm.counts().tokensIssued == 1)
        }
    }

    @Test("A token that FCM calls dead is not used again, until the phone reports it anew")
    func dead() async throws {
        let clock = TestClock()
        try await TestStage.runWithFCM(clock: clock) { stage, fcm in
            try await stage.addPhones(0..<4, isAndroid: { _ in true })
            let id = try await stage.register(4)
            var script = MockFCM.Script()
            script.rules = [
                .init(.init(tokens: [TestStage.registrationToken(2)]), .fault(.init(.unregistered)))
            ]
            fcm.setScript(script)
            clock.advance(seconds: 5)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 3 && start.failed("UNREGISTERED") == 1, "\(start.text)")
            fcm.setScript(MockFCM.Script())
            try await stage.eventually {
                let body =
                    #"{"activity_type":"T","insider_ids":[\#(TestStage.list(0..<4))],"ends_at":"\#(stage.endsAt())"}"#
                return try await stage.call("register", body).skipped("no_registration_token") == 1
            }
            // Its next token starts it again.
            clock.advance(seconds: 5)
            let token = TestStage.registrationToken(12)
            let body = #"{\#(TestStage.key(2).fields),"token":"\#(token)"}"#
            #expect(try await stage.report("PUT", "registration-token", body).status == 200)
            let restart = try await stage.call("restart", TestStage.body(id, more: #""devices":"failed""#))
            #expect(restart.accepted == 1, "\(restart.text)")
            #expect(fcm.acceptedByToken(.start)[token] == 1)
        }
    }

    @Test("An end of devices whose registration token is replaced meanwhile reaches the new token", arguments: [1, 3])
    func replacedDuringEnd(devices: Int) async throws {
        try await TestStage.runWithFCM { stage, fcm in
            try await stage.addPhones(0..<4, isAndroid: { _ in true })
            let id = try await stage.register(4)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 4)
            for number in 0..<4 { #expect(try await stage.shown(number, id).status == 200) }
            var script = MockFCM.Script()
            let former = (0..<devices).map(TestStage.registrationToken)
            script.rules = [.init(.init(tokens: Set(former)), .fault(.init(.unregistered)))]
            script.latency = .fixed(.milliseconds(500))
            fcm.setScript(script)
            let targets = #""target_devices":[\#(TestStage.targets(Array(0..<devices)))]"#
            let end = TestStage.body(id, content: nil, more: targets)
            async let ended = stage.call("end", end)
            try await stage.eventually { fcm.counts().messages == 4 + devices }
            for number in 0..<devices {
                let token = TestStage.registrationToken(number + 10)
                let body = #"{\#(TestStage.key(number).fields),"token":"\#(token)"}"#
                #expect(try await stage.report("PUT", "registration-token", body).status == 200)
                #expect(try await stage.shown(number, id).status == 200)
            }
            #expect(try await ended.failed("UNREGISTERED") == devices)
            try await stage.eventually {
                (0..<devices).allSatisfy { fcm.acceptedByToken(.end)[TestStage.registrationToken($0 + 10)] == 1 }
            }
        }
    }

    @Test("What a provider counts is what it is asked to carry; a refusal names the cohort, before any push or lock")
    func size() async throws {
        try await TestStage.runWithFCM { stage, fcm in
            try await stage.addPhones(0..<2, isAndroid: Self.isAndroid)
            func content(_ bytes: Int, escapes: Int = 0) -> String {
                let (title, state) = (
                    String(repeating: #"\u0041"#, count: escapes), String(repeating: "x", count: bytes)
                )
                return #"{"title":"t\#(title)","message":"m","content_state":{"s":"\#(state)"}}"#
            }
            let both = try await stage.register(2)
            let android = try await stage.register(ids: [1])
            let large = try await stage.call("start", TestStage.body(android, content: content(4_100)))
            #expect(large.status == 413 && large.text.contains("(fcm)"), "\(large.text)")
            // Google counts what stands for a letter as the letter, Apple as it is spelled.
            let spelled = content(3_000, escapes: 400)
            let refused = try await stage.call("start", TestStage.body(both, content: spelled))
            #expect(refused.status == 413 && refused.text.contains("(apns)"), "\(refused.text)")
            #expect(fcm.messages().isEmpty && stage.pushes(.start).isEmpty)
            #expect(try await stage.call("start", TestStage.body(android, content: spelled)).accepted == 1)
            #expect(try await stage.call("start", TestStage.body(both, content: content(3_000))).accepted == 2)
        }
    }

    @Test("A topic takes no content that FCM does not carry, in a start or in an update", arguments: [false, true])
    func sizeOfTopic(hasAlert: Bool) async throws {
        try await TestStage.runWithFCM { stage, fcm in
            func put(_ size: Int) async throws -> TestStage.Answer {
                let alert = hasAlert ? #""title":"t","message":"m","# : ""
                let state = #"{"s":"\#(String(repeating: "x", count: size))"}"#
                let content = #"{\#(alert)"content_state":\#(state)}"#
                return try await stage.put(
                    "t", #"{"activity_type":"\#(TestStage.type)","state":"upcoming","content":\#(content)}"#)
            }
            // The keys of FCM's data are longer than those of Apple's payload.
            var (fits, tooLong) = (3000, 4096)
            while tooLong - fits > 1 {
                let size = (fits + tooLong) / 2
                let status = try await put(size).status
                try #require([200, 413].contains(status), "\(status)")
                if status == 200 { fits = size } else { tooLong = size }
            }
            let refused = try await put(tooLong)
            #expect(refused.code == "PAYLOAD_TOO_LARGE" && refused.text.contains("(fcm)"), "\(refused.text)")
        }
    }

    @Test("A message that is answered with any 2xx is accepted, and no start is sent twice", arguments: [202, 204])
    func acceptances(status: Int) async throws {
        try await TestStage.runWithFCM { stage, fcm in
            try await stage.addPhones(0..<200, isAndroid: { _ in true })
            let id = try await stage.register(200)
            var script = MockFCM.Script()
            script.rules = [.init(.init(share: 0.5), .page(status: status))]
            fcm.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.status == 200 && start.accepted == 200, "\(start.text)")
            let tokens = fcm.messages().map(\.token)
            #expect(tokens.count == 200 && Set(tokens).count == 200)
        }
    }

    @Test(
        "What FCM has trouble with is sent when it is over, and a start reaches nobody twice",
        arguments: [
            MockFCM.MessageRule(.init(share: 0.3), .fault(.init(.unavailable), retryAfter: .seconds(1)), limit: 60),
            .init(.init(share: 0.3), .page(status: 502, retryAfter: .seconds(1)), limit: 60),
            .init(.init(share: 0.3), .reset(code: 7), limit: 60),
            .init(.init(), .fault(.init(.quotaExceeded, about: .project), retryAfter: .seconds(1)), limit: 5),
            .init(.init(), .fault(.init(.unauthenticated)), limit: 1),
        ])
    func trouble(rule: MockFCM.MessageRule) async throws {
        try await TestStage.runWithFCM { stage, fcm in
            try await stage.addPhones(0..<200, isAndroid: { _ in true })
            let id = try await stage.register(200)
            var script = MockFCM.Script()
            script.rules = [rule]
            fcm.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            try await stage.eventually("\(start.text)") {
                try await stage.read("/api/v1/live-activity/broadcasts/\(start["broadcast_id"]?.string ?? "")")[
                    "accepted"]?
                    .int64 == 200
            }
            expectOnce(fcm, .start, 0..<200)
        }
    }

    @Test("Where FCM does not take the account, Android waits and says why, and iPhones are sent to meanwhile")
    func refusedAccount() async throws {
        try await TestStage.runWithFCM { stage, fcm in
            try await stage.addPhones(0..<20, isAndroid: Self.isAndroid)
            let id = try await stage.register(20)
            var script = MockFCM.Script()
            script.tokenRules = [.init(.init(), .fault(.invalidGrant))]
            fcm.setScript(script)
            let start = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            let location = "/api/v1/live-activity/broadcasts/\(start["broadcast_id"]?.string ?? "")"
            try await stage.eventually {
                let read = try await stage.read(location)
                return read["accepted"]?.int64 == 10 && read["state"]?.string == "paused"
            }
            #expect(fcm.messages().isEmpty)
            fcm.setScript(MockFCM.Script())
            try await stage.eventually { try await stage.read(location)["accepted"]?.int64 == 20 }
            expectOnce(fcm, .start, (0..<20).filter(Self.isAndroid))
        }
    }

    @Test("Android waits while FCM refuses every token as another project's; later it refuses only that token's phone")
    func wrongProject() async throws {
        try await TestStage.runWithFCM { stage, fcm in
            try await stage.addPhones(0..<100, isAndroid: Self.isAndroid)
            let id = try await stage.register(100)
            var script = MockFCM.Script()
            script.rules = [.init(.init(), .fault(.init(.senderIDMismatch)))]
            fcm.setScript(script)
            let start = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            let location = "/api/v1/live-activity/broadcasts/\(start["broadcast_id"]?.string ?? "")"
            try await stage.eventually {
                let read = try await stage.read(location)
                return read["accepted"]?.int64 == 50 && read["state"]?.string == "paused"
                    && read["reason"]?.string == "SENDER_ID_MISMATCH"
            }
            fcm.setScript(MockFCM.Script())
            try await stage.eventually { try await stage.read(location)["state"]?.string == "done" }
            #expect(try await stage.read(location)["accepted"]?.int64 == 100)
            expectOnce(fcm, .start, (0..<100).filter(Self.isAndroid))

            script.rules = [
                .init(.init(tokens: [TestStage.registrationToken(1)]), .fault(.init(.senderIDMismatch)))
            ]
            fcm.setScript(script)
            let next = try await stage.call("start", TestStage.body(try await stage.register(100)))
            #expect(next.accepted == 99 && next.failed("SENDER_ID_MISMATCH") == 1, "\(next.text)")
        }
    }

    @Test("Gateways that stop hand their messages over: nobody is left out, and nobody is sent to twice")
    func takeOver() async throws {
        try await TestStage.runWithFCM(gateways: 2) { stage, fcm in
            try await stage.addPhones(0..<3_000, isAndroid: Self.isAndroid)
            let id = try await stage.register(3_000)
            var script = MockFCM.Script()
            script.latency = .fixed(.milliseconds(20))
            fcm.setScript(script)
            let start = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            #expect(start.status == 202, "\(start.text)")
            try await stage.eventually { fcm.counts().accepted > 100 }
            await stage.gateways[0].stop()
            let location = "/api/v1/live-activity/broadcasts/\(start["broadcast_id"]?.string ?? "")"
            try await stage.eventually { try await stage.read(location, gateway: 1)["state"]?.string == "done" }
            let read = try await stage.read(location, gateway: 1)
            #expect(read["accepted"]?.int64 == 3_000, "\(read.text)")
            expectOnce(fcm, .start, (0..<3_000).filter(Self.isAndroid))
            // One token for both, fetched once.
            #expect(fcm.counts().tokensIssued == 1)
        }
    }
}
