import Delivery
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Reactor
import Testing

@Suite("Android phones beside iPhones", .serialized)
struct AndroidDeliveryTests {
    private static func token(_ number: Int) -> String { "fcm-token:\(number)" }

    /// Reports an Android phone as its app does.
    private func report(_ number: Int, token: String?, _ stage: TestStage) async throws {
        let key = TestStage.key(number).fields
        let device = """
            {\(key),"platform":"android","os_version":"16","push_opt_in":true,"gdpr_consent":true,
             "environment":"production"}
            """
        #expect(try await stage.report("PUT", "device", device).status == 200)
        guard let token else { return }
        let answer = try await stage.report("PUT", "registration-token", #"{\#(key),"token":"\#(token)"}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func run(_ body: (TestStage, ToyProvider) async throws -> Void) async throws {
        let made = Locked<[ToyProvider]>([])
        try await TestStage.run(
            configure: { options in
                options.providers[.fcm] = { reactor in
                    let toy = ToyProvider(reactor)
                    made.withLock { $0.append(toy) }
                    return toy
                }
            }
        ) { stage in try await body(stage, try #require(made.withLock { $0 }.first)) }
    }

    @Test("One call reaches both, each by its provider, and the reply accounts for each kind of destination")
    func life() async throws {
        try await run { stage, toy in
            try await stage.addDevices(6)
            for number in 6..<10 { try await report(number, token: Self.token(number), stage) }
            let id = try await stage.register(10)
            let start = try await stage.call("start", TestStage.body(id))
            // No token ends in the byte 9, which the toy provider rejects. It defers its fifth request.
            #expect(start.accepted == 10, "\(start.text)")
            #expect(start.cohort("apns") == [6, 6] && start.cohort("fcm") == [4, 4], "\(start.text)")
            #expect(
                toy.ledger.withLock { $0 }.map { String(decoding: $0.token, as: UTF8.self) }.sorted()
                    == (6..<10).map(Self.token))
            #expect(stage.pushes(.start).count == 6)

            let early = try await stage.call("update", TestStage.body(id))
            #expect(early.status == 409 && early.skipped("not_synced") == 10, "\(early.text)")
            for number in 7..<9 { #expect(try await stage.shown(number, id).status == 200) }
            try await stage.syncAll(0..<2, id)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 4 && update.skipped("not_synced") == 6, "\(update.text)")
            #expect(update.cohort("apns") == [2, 2] && update.cohort("fcm") == [2, 2], "\(update.text)")

            let broadcast = try await stage.read(
                "/api/v1/live-activity/broadcasts/\(update["broadcast_id"]?.string ?? "")")
            #expect(broadcast.cohort("fcm") == [2, 2] && broadcast["total"]?.int64 == 10, "\(broadcast.text)")
            let status = try await stage.status(id)
            #expect(status["cohorts", "fcm", "devices"]?.int64 == 4 && status["cohorts", "fcm", "active"]?.int64 == 2)
            #expect(status["cohorts", "apns", "devices"]?.int64 == 6 && status["counts", "active"]?.int64 == 4)
            let listed = try await stage.read("/api/v1/live-activity/\(id)/devices?limit=100").elements("devices")
            #expect(listed.count { $0.text("cohort") == "fcm" } == 4 && listed.count == 10)

            // A broadcast to a single provider has no cohorts.
            let target = #""target_devices":[{\#(TestStage.key(7).fields)}]"#
            let one = try await stage.call("update", TestStage.body(id, more: target))
            #expect(one.accepted == 1 && one["cohorts"] == nil, "\(one.text)")

            let end = try await stage.call("end", TestStage.body(id))
            #expect(end.accepted == 4 && end.cohort("fcm") == [2, 2], "\(end.text)")
            try await stage.eventually { toy.ledger.withLock { $0.count { $0.event == .end } } == 2 }
            // A phone that reports its Live Activity after the end is sent the end at once.
            #expect(try await stage.shown(6, id).status == 200)
            try await stage.eventually { toy.ledger.withLock { $0.count { $0.event == .end } } == 3 }
            // A phone that reports it despite the end is sent one more end, not one for each report.
            for _ in 0..<3 { #expect(try await stage.shown(7, id).status == 200) }
            try await stage.eventually { toy.ledger.withLock { $0.count { $0.event == .end } } == 4 }
            try await stage.eventually { try await stage.status(id)["counts", "active"]?.int64 ?? 0 == 0 }
            #expect(try await stage.shown(7, id).status == 200)
            #expect(toy.ledger.withLock { $0.count { $0.event == .end } } == 4)
            #expect(try await stage.status(id)["counts", "ended"]?.int64 == 5)
        }
    }

    @Test("A Live Activity that was ended alone, and is there all the same, is ended again")
    func endedAlone() async throws {
        try await run { stage, toy in
            for number in 0..<2 { try await report(number, token: Self.token(number), stage) }
            let id = try await stage.register(2)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            for number in 0..<2 { #expect(try await stage.shown(number, id).status == 200) }
            let target = #""target_devices":[{\#(TestStage.key(0).fields)}]"#
            #expect(try await stage.call("end", TestStage.body(id, more: target)).accepted == 1)
            for number in 0..<2 { #expect(try await stage.shown(number, id).status == 200) }
            try await stage.eventually { toy.ledger.withLock { $0.count { $0.event == .end } } == 2 }
            try await stage.eventually { try await stage.status(id)["counts", "active"]?.int64 == 1 }
            #expect(try await stage.status(id)["counts", "ended_by", "ended_by_api"]?.int64 == 1)
        }
    }

    @Test("Where the app has no way to Android, such phones are passed over and counted")
    func unserved() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            try await report(1, token: Self.token(1), stage)
            let body = """
                {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<2))],
                 "ends_at":"\(stage.endsAt(7200))"}
                """
            let registered = try await stage.call("register", body)
            #expect(registered.status == 200 && registered.skipped("no_registration_token") == 1, "\(registered.text)")
        }
    }

    @Test("Fields of a registration token are checked and named")
    func fields() async throws {
        try await TestStage.run { stage in
            let key = #""insider_id":"a","udid":"b""#
            let long = String(repeating: "x", count: 1_025)
            let quotes = String(repeating: #"\""#, count: 513)
            for token in ["\"\"", "1", "null", "\"a b\"", "\"\\u00e9\"", "\"\(long)\"", "\"\(quotes)\""] {
                let answer = try await stage.report("PUT", "registration-token", #"{\#(key),"token":\#(token)}"#)
                #expect(answer.status == 400 && answer.text.contains("token"), "\(token): \(answer.text)")
            }
            #expect(try await stage.report("PUT", "registration-token", #"{\#(key)}"#).status == 400)
            #expect(try await stage.report("PUT", "registration-token", #"{"udid":"b","token":"x"}"#).status == 400)
            let longest = String(repeating: "~", count: 1_024)
            let answer = try await stage.report("PUT", "registration-token", #"{\#(key),"token":"\#(longest)"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            let type = #"{"activity_type":"A\u0000","insider_ids":["a"],"ends_at":"\#(stage.endsAt(7200))"}"#
            let refused = try await stage.call("register", type)
            #expect(refused.status == 400 && refused.text.contains("NUL"), "\(refused.text)")
        }
    }
}
