import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import MockFCM
import Testing
import TimeCore

/// Options by event and route: an APNs token, a channel, FCM. Each is written into the push, or refused.
@Suite("Options by event and route", .serialized)
struct OptionRouteTests {
    private enum Route: String, CaseIterable {
        case token, channel, fcm
    }

    private static let (stale, dismissal) = (4_000_000_001, 4_000_000_002)
    private let expiration = WallTime.now().seconds + 900

    /// All options of a push. A topic has no expiration.
    private func options(expires: Bool = true) -> String {
        let expiration = expires ? "\"expiration\":\(expiration)," : ""
        return """
            "options":{\(expiration)"priority":5,"stale_date":\(Self.stale),"dismissal_date":\(Self.dismissal),\
            "relevance_score":0.50,"sound":"b\\u0065ll"}
            """
    }

    /// A push as its route shows it.
    private struct Push {
        /// Options by name, as texts.
        var options: [String: String] = [:]

        init(_ entry: LedgerEntry) {
            for (name, key) in [
                ("stale_date", "stale-date"), ("dismissal_date", "dismissal-date"),
                ("relevance_score", "relevance-score"),
            ] { options[name] = entry.aps(key).map { String(decoding: $0.slice, as: UTF8.self) } }
            options["sound"] = (try? entry.aps("alert")?.member("sound"))?.flatMap { $0.string }
            options["priority"] = entry.header("apns-priority")
            options["expiration"] = entry.header("apns-expiration")
        }

        init(_ message: JSONValue) throws {
            let data = try #require(try message.member("data"))
            for name in ["stale_date", "dismissal_date", "relevance_score", "sound"] { options[name] = data.text(name) }
            options["time to live"] = try message.member("android")?.text("ttl")
        }
    }

    /// The newest push of an event on each route.
    private func pushes(_ event: MockPushEvent, _ stage: TestStage, _ fcm: MockFCM) throws -> [Route: Push] {
        var found: [Route: Push] = [:]
        for entry in stage.pushes(event) {
            let isChannel = entry.token.isEmpty || entry.aps("input-push-channel") != nil
            found[isChannel ? .channel : .token] = Push(entry)
        }
        for message in fcm.messages() {
            let root = try #require(try JSONDocument(parsing: message.body).root.member("message"))
            guard try root.member("data")?.text("live_activity_event") == event.rawValue else { continue }
            found[.fcm] = try Push(root)
        }
        return found
    }

    private func expect(
        _ event: MockPushEvent, _ stage: TestStage, _ fcm: MockFCM, on routes: [Route] = Route.allCases,
        expires: Bool = true, _ place: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        var wanted = [
            "stale_date": "\(Self.stale)", "dismissal_date": "\(Self.dismissal)", "relevance_score": "0.50",
            "sound": "bell",
        ]
        if expires { wanted["expiration"] = "\(expiration)" }
        let found = try pushes(event, stage, fcm)
        for route in routes {
            var options = try #require(found[route], "\(place): no push by \(route)", sourceLocation: location).options
            if !expires { options["expiration"] = nil }
            if let text = options.removeValue(forKey: "time to live"), expires {
                let seconds = try #require(Int64(text.dropLast()))
                if (600...900).contains(seconds) { options["expiration"] = "\(expiration)" }
            }
            // FCM has no word for a push that may wait: all are of high priority.
            let priority = route == .fcm ? nil : "5"
            #expect(options["priority"] == priority, "\(place) by \(route)", sourceLocation: location)
            options["priority"] = nil
            #expect(options == wanted, "\(place) by \(route)", sourceLocation: location)
        }
    }

    /// Four phones: 0 knows no channels, 1 and 2 do, 3 is Android's.
    private func run(_ body: (TestStage, MockFCM) async throws -> Void) async throws {
        try await TestStage.runWithFCM(configure: { options in
            var channels = ChannelOptions()
            channels.threshold = 1
            channels.period = .milliseconds(50)
            options.channels = channels
            // Quick enough for a topic's followers.
            options.jobs.topics.interval = .milliseconds(200)
        }) { stage, fcm in
            try await stage.addPhones(0..<4) { $0 == 3 }
            try await stage.age(0..<1)
            try await body(stage, fcm)
        }
    }

    private func report(_ stage: TestStage, _ id: String) async throws {
        try #require(try await stage.sync(0, id).status == 200)
        try #require(try await stage.shown(3, id).status == 200)
    }

    @Test("A call's options are in the pushes of each route, for every event, also when it was scheduled")
    func calls() async throws {
        try await run { stage, fcm in
            let id = try await stage.register(4)
            #expect(try await stage.call("start", TestStage.body(id, more: options())).accepted == 4)
            try expect(.start, stage, fcm, "start")
            let again = options() + #","devices":"not_synced","older_than":0"#
            #expect(try await stage.call("restart", TestStage.body(id, more: again)).accepted ?? 0 >= 2)
            try expect(.start, stage, fcm, on: [.token, .fcm], "restart")
            #expect(try await stage.dismiss(1, #""activity_id":"\#(id)""#).status == 200)
            let follower = options() + #","target_devices":[\#(TestStage.targets([1]))]"#
            #expect(try await stage.call("restart", TestStage.body(id, more: follower)).accepted == 1)
            try expect(.start, stage, fcm, on: [.channel], "restart of a follower")
            try await report(stage, id)
            #expect(try await stage.call("update", TestStage.body(id, more: options())).status == 200)
            try expect(.update, stage, fcm, "update")
            let offset = #""offset":0"#
            for event in ["update", "end"] {
                let schedule = try await stage.schedule(id, offset, event: event, more: options())
                #expect(try await stage.ended(schedule: schedule, of: id).text("state") == "done")
                try await stage.settled()
                try expect(event == "end" ? .end : .update, stage, fcm, "schedule of \(event)")
            }
            let other = try await stage.register(4)
            let before = stage.pushes(.start).count
            let start = try await stage.schedule(other, offset, event: "start", more: options())
            #expect(try await stage.ended(schedule: start, of: other).text("state") == "done")
            try await stage.eventually { stage.pushes(.start).count == before + 3 }
            try await stage.settled()
            try expect(.start, stage, fcm, "schedule of start")
        }
    }

    @Test("A topic's options are in the pushes of each route, from its start to its end")
    func topics() async throws {
        try await run { stage, fcm in
            func put(_ state: String, _ number: Int) async throws {
                let body = TestStage.topic(state, number, more: ",\(options(expires: false))")
                let answer = try await stage.put("t", body)
                try #require(answer.status == 200, "\(answer.text)")
            }
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<4, "t")
            try await put("live", 1)
            let id = try await stage.activity(of: "t")
            try await stage.eventually { try pushes(.start, stage, fcm).count == 3 }
            try expect(.start, stage, fcm, expires: false, "live")
            try await stage.settled()
            try await report(stage, id)
            try await put("live", 2)
            try await stage.eventually { try pushes(.update, stage, fcm).count == 3 }
            try expect(.update, stage, fcm, expires: false, "live again")
            // A later follower is started with the newest options, and with the sound of the newest alert.
            let newest = #","options":{"stale_date":4000000009}"#
            #expect(try await stage.put("t", TestStage.topic("live", 4, alert: false, more: newest)).status == 200)
            try await stage.addPhones(4..<7) { $0 == 6 }
            try await stage.age(4..<5)
            try await stage.follow(4..<7, "t")
            try await stage.eventually {
                try pushes(.start, stage, fcm).values.allSatisfy { $0.options["stale_date"] == "4000000009" }
            }
            for (route, push) in try pushes(.start, stage, fcm) {
                #expect(push.options["sound"] == "bell", "\(route)")
                #expect(push.options["dismissal_date"] == nil && push.options["relevance_score"] == nil, "\(route)")
            }
            try await put("ended", 3)
            try await stage.eventually { try pushes(.end, stage, fcm).count == 3 }
            try expect(.end, stage, fcm, expires: false, "ended")
        }
    }

    @Test("An app's schedule is an update unless it says so, and its alert and options are in the push")
    func schedulesOfApps() async throws {
        try await run { stage, fcm in
            for event in [MockPushEvent.update, .end] {
                for (number, route) in [(0, Route.token), (3, .fcm)] {
                    let who = #"\#(TestStage.key(number).fields),\#(TestStage.external("chest"))"#
                    let token = number == 0 ? #","token":"abcd""# : ""
                    try #require(try await stage.report("POST", "sync", "{\(who)\(token)}").status == 200)
                    let name = event == .end ? #""event":"end","# : ""
                    let alert = #""title":{"loc-key":"READY"},"message":"Now","content_state":{}"#
                    let answer = try await stage.report(
                        "POST", "schedule", "{\(who),\(name)\"offset\":0,\(alert),\(options())}")
                    try #require(answer.status == 200, "\(answer.text)")
                    try await stage.eventually { try pushes(event, stage, fcm)[route] != nil }
                    try expect(event, stage, fcm, on: [route], "app's \(event)")
                }
            }
            let title = try stage.pushes(.update).last?.aps("alert")?.member("title")
            #expect(title.map { Array($0.slice) } == Array(#"{"loc-key":"READY"}"#.utf8))
        }
    }

    @Test("An option that an event has no use for is refused, and says so")
    func refused() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.started(1)
            let fresh = try await stage.register(1)
            _ = try await stage.opened(0, "chest")
            let silent = #"{"content_state":{}}"#
            func option(_ text: String) -> String { #""options":{\#(text)}"# }
            func call(
                _ name: String, _ options: String, _ content: String? = TestStage.content, more: String = ""
            ) async throws -> TestStage.Answer {
                let id = name == "start" ? fresh : id
                return try await stage.call(name, TestStage.body(id, content: content, more: option(options) + more))
            }
            func schedule(
                _ event: String, _ options: String, _ content: String? = TestStage.content
            ) async throws -> TestStage.Answer {
                let body = TestStage.scheduleBody(
                    event == "start" ? fresh : id, #""offset":60"#, event: event, content: content,
                    more: option(options))
                return try await stage.call("schedule", body)
            }
            func topic(_ state: String, _ options: String, alert: Bool = true) async throws -> TestStage.Answer {
                try await stage.put("t", TestStage.topic(state, alert: alert, more: ",\(option(options))"))
            }
            func app(_ options: String) async throws -> TestStage.Answer {
                let who = #"\#(TestStage.key(0).fields),\#(TestStage.external("chest"))"#
                return try await stage.report(
                    "POST", "schedule", #"{\#(who),"offset":60,"content_state":{},\#(option(options))}"#)
            }
            let (force, skip, sound) = (#""force":true"#, #""skip_unchanged":true"#, #""sound":"s""#)
            let restart = #","devices":"unsent""#
            var rows: [(String, TestStage.Answer, String)] = [
                ("silent update", try await call("update", sound, silent), "options.sound requires an alert"),
                ("silent end", try await call("end", sound, silent), "options.sound requires an alert"),
                ("bare end", try await call("end", sound, nil), "options.sound requires an alert"),
                ("score", try await call("update", #""relevance_score":1e999"#), "options.relevance_score"),
                ("no sound", try await call("update", #""sound":"""#), "options.sound"),
                ("schedule", try await schedule("update", force), "options.force"),
                ("schedule", try await schedule("start", force), "options.force"),
                ("schedule", try await schedule("start", skip), "options.skip_unchanged"),
                ("schedule", try await schedule("end", skip), "options.skip_unchanged"),
                ("schedule", try await schedule("update", sound, silent), "options.sound requires an alert"),
                ("schedule", try await schedule("end", sound, nil), "options.sound requires an alert"),
                ("topic", try await topic("upcoming", sound, alert: false), "options.sound requires an alert"),
                (
                    "topic without content",
                    try await stage.put(
                        "t", #"{"activity_type":"A","state":"upcoming",\#(option(#""stale_date":1"#))}"#), "options: "
                ),
                ("app", try await app(force), "options.force"),
                ("app", try await app(skip), "options.skip_unchanged"),
                ("app", try await app(sound), "options.sound requires an alert"),
            ]
            let push = ["priority", "expiration", "stale_date", "dismissal_date", "relevance_score", "sound"]
            let ofActivity = ["activity_id_attribute", "channel", "channel_storage"]
            let taken = [
                "start": push, "restart": push + ["max_starts"], "update": push + ["skip_unchanged"],
                "end": push + ["force"], "topic": push.filter { $0 != "expiration" } + ofActivity,
                "schedule": push + ["force", "skip_unchanged", "expire_after"],
            ]
            let all = Set(taken.values.joined() + ["heal", "catch_up"])
            for (row, taken) in taken {
                for name in all.subtracting(taken) {
                    let option = "\"\(name)\":1"
                    let answer =
                        switch row {
                        case "topic": try await topic("live", option)
                        case "schedule": try await schedule("update", option)
                        default: try await call(row, option, more: row == "restart" ? restart : "")
                        }
                    rows.append((row, answer, "options.\(name)"))
                }
            }
            for (row, answer, words) in rows {
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(row): \(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix(words) == true, "\(row): \(answer.text)")
            }
            #expect(stage.pushes(.update).isEmpty && stage.pushes(.end).isEmpty)
        }
    }
}
