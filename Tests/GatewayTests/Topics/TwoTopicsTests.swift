import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PhoneModel
import Testing
import TimeCore

@Suite("Two topics of one type on one phone", .serialized)
struct TwoTopicsTests {
    private static let type = #""activity_type":"\#(TestStage.type)""#

    private func put(_ topic: String, _ number: Int, _ stage: TestStage, state: String = "live") async throws {
        let attributes = #"{"m":\#(topic == "a" ? 1 : 2)}"#
        let body = #"""
            {"activity_type":"\#(TestStage.type)","state":"\#(state)","content":{"title":"t","message":"m",
             "attributes":\#(attributes),"content_state":{"n":\#(number)}}}
            """#
        let answer = try await stage.put(topic, body)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// A report of the phone's app, under one of its logins.
    private func report(
        _ token: UInt8?, _ reference: String, system: String? = nil, as login: Int = 0, _ stage: TestStage
    ) async throws -> TestStage.Answer {
        let system = system.map { #","system_activity_id":"\#($0)""# } ?? ""
        guard let token else {
            let names = TestStage.targets([login]).dropLast()
            return try await stage.report("POST", "sync", "\(names),\(reference)\(system)}")
        }
        return try await stage.report(
            "POST", "sync", TestStage.syncBody(login, reference + system, token: Self.token(token)))
    }

    private static func token(_ first: UInt8) -> [UInt8] { [first] + [UInt8](repeating: 7, count: 31) }

    /// Sentences about a phone that does not show these numbers of the topics.
    private func shows(_ stage: TestStage, _ a: Int, _ b: Int, aIsOver: Bool = false) -> [String] {
        let tokens = [(0x0A, 1), (0x0B, 2), (0x1B, 2)].map { token, m in
            ReportedToken(own: Self.token(token), start: TestStage.startToken(0), attributes: #"{"m":\#(m)}"#)
        }
        let phones = stage.phones(TestStage.topicApp, tokens: tokens)
        return phones.differences([0], #"{"n":\#(a)}"#, attributes: #"{"m":1}"#, isOver: aIsOver)
            + phones.differences([0], #"{"n":\#(b)}"#, attributes: #"{"m":2}"#)
    }

    @Test("Each keeps its token and content, reported by topic, by type alone, late, twice and after a relaunch")
    func reports() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for topic in ["a", "b"] {
                try await put(topic, 1, stage)
                try await stage.follow(0..<1, topic)
            }
            let (a, b) = (try await stage.activity(of: "a"), try await stage.activity(of: "b"))
            try await stage.eventually { stage.starts(0..<1) == [2] }
            try await stage.settled()
            #expect(shows(stage, 1, 1) == [])

            // Both wait for a token, so the type alone says nothing.
            #expect(try await report(0x0A, Self.type, stage).code == "ACTIVITY_AMBIGUOUS")
            let named = try await report(0x0A, #""topic":"a""#, system: "system-a", stage)
            #expect(named["activity_id"]?.string == a, "\(named.text)")
            let only = try await report(0x0B, Self.type, system: "system-b", stage)
            #expect(only["activity_id"]?.string == b, "\(only.text)")
            // After a relaunch, and with a token that the system gave later.
            for (token, system, id) in [(0x0A, nil, a), (0x0B, nil, b), (0x0A, "system-a", a), (0x1B, "system-b", b)] {
                let again = try await report(UInt8(token), Self.type, system: system, stage)
                #expect(again["activity_id"]?.string == id, "\(token): \(again.text)")
            }
            try await put("a", 5, stage)
            try await put("b", 7, stage)
            try await stage.eventually { stage.pushes(.update).count == 2 }
            #expect(shows(stage, 5, 7) == [])

            // The late report of the ended Live Activity takes nothing from the other one.
            try await put("a", 6, stage, state: "ended")
            try await stage.eventually { stage.pushes(.end).count == 1 }
            try await stage.settled()
            let late = try await report(0x0A, Self.type, stage)
            #expect(late.status == 404 || late["activity_id"]?.string == a, "\(late.text)")
            try await put("b", 9, stage)
            try await stage.eventually { stage.pushes(.update).count == 3 }
            #expect(shows(stage, 6, 9, aIsOver: true) == [])
        }
    }

    /// Brings a life of topic a onto the phone.
    /// - Returns: the id of its activity.
    private func start(_ life: Int, as login: Int = 0, _ stage: TestStage) async throws -> String {
        let starts = stage.pushes(.start).count
        try await put("a", life, stage)
        try await stage.follow(login..<(login + 1), "a")
        try await stage.eventually { stage.pushes(.start).count == starts + 1 }
        try await stage.settled()
        return try await stage.activity(of: "a")
    }

    /// Lets the first device have the phone of another login, whose Live Activity has ended.
    private func handOver(_ stage: TestStage) async throws {
        try await stage.addDevices(2)
        try await stage.logIn(1)
        let id = try await stage.register(2)
        #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
        try await stage.syncAll(0..<2, id)
        try await stage.logIn(0)
        #expect(try await stage.call("end", TestStage.body(id)).accepted == 2)
        try await stage.settled()
    }

    @Test(
        "A Live Activity that is first reported after its activity has ended takes nothing from the running one",
        arguments: [(#""topic":"a""#, false), (type, false), (#""topic":"a""#, true)], [false, true])
    func lateFirstReport(by: (reference: String, onPhoneOfFormerLogin: Bool), isOldestFirst: Bool) async throws {
        try await TestStage.run { stage in
            let reference = by.reference
            if by.onPhoneOfFormerLogin { try await handOver(stage) } else { try await stage.addDevices(1) }
            let ended = stage.pushes(.end).count
            var lives: [String] = []
            for life in 1...2 {
                lives.append(try await start(life, stage))
                if life == 1 { try await put("a", 1, stage, state: "ended") }
            }
            let reports: [(token: UInt8, name: String)] = [(0x0A, "first"), (0x0B, "second")]
            let order = isOldestFirst ? reports : reports.reversed()
            let early = try await report(order[0].token, reference, system: order[0].name, stage)
            #expect(early["activity_id"]?.string == lives[1], "\(early.text)")
            // Two Live Activities are known now, and nothing says which one is of the running activity.
            for token in [nil, order[1].token, order[1].token] {
                let late = try await report(token, reference, system: order[1].name, stage)
                #expect(late.code == "ACTIVITY_AMBIGUOUS", "\(late.text)")
                for id in lives { #expect(late.text.contains(id), "\(late.text)") }
            }
            // The app knows by the id in the attributes. A name that is bound stays bound.
            let life = lives[isOldestFirst ? 1 : 0]
            let named = try await report(order[1].token, #""activity_id":"\#(life)""#, system: order[1].name, stage)
            #expect(named["activity_id"]?.string == life, "\(named.text)")
            let ends = isOldestFirst ? [] : [TestStage.hex(Self.token(0x0A))]
            try await stage.eventually { stage.pushes(.end).count == ended + ends.count }
            try await stage.settled()
            #expect(stage.pushes(.end).dropFirst(ended).map(\.token) == ends)
            try await put("a", 7, stage)
            try await stage.eventually { stage.pushes(.update).map(\.token) == [TestStage.hex(Self.token(0x0B))] }
        }
    }

    @Test(
        "A first report after the end is ambiguous also beside a Live Activity that is known by its name alone",
        arguments: [(#""topic":"a""#, false), (#""topic":"a""#, true), (type, false), (type, true)],
        [[0, 0], [1, 0], [0, 1], [1, 1]])
    func lateBesideName(by: (reference: String, afterEnd: Bool), logins: [Int]) async throws {
        try await TestStage.run { stage in
            let reference = by.reference
            try await stage.addDevices(2)
            // The present login takes the phone over while the first activity runs, or after its end.
            for (life, login) in zip(1...2, logins) {
                try await stage.logIn(login)
                _ = try await start(life, as: login, stage)
                if life == 2 {
                    #expect(try await report(nil, reference, system: "second", as: login, stage).status == 200)
                }
                if !by.afterEnd { try await stage.logIn(0) }
                if life == 1 { try await put("a", 1, stage, state: "ended") }
                try await stage.logIn(0)
            }
            #expect(try await report(0x0A, reference, system: "first", stage).code == "ACTIVITY_AMBIGUOUS")
            #expect(try await report(0x0B, reference, system: "second", stage).status == 200)
            try await put("a", 7, stage)
            try await stage.eventually { stage.pushes(.update).map(\.token) == [TestStage.hex(Self.token(0x0B))] }
        }
    }

    @Test("Of the Live Activities of two logins, a report by type alone is for the only one that can be meant")
    func twoLogins() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            // The present login's has ended and never reported. The former login's runs.
            for (life, login) in [(1, 0), (2, 1)] {
                try await stage.logIn(login)
                _ = try await start(life, as: login, stage)
                if life == 1 { try await put("a", 1, stage, state: "ended") }
            }
            try await stage.logIn(0)
            let first = try await report(0x0B, Self.type, system: "second", stage)
            #expect(first["activity_id"]?.string == (try await stage.activity(of: "a")), "\(first.text)")
            try await put("a", 3, stage)
            try await stage.eventually { stage.pushes(.update).map(\.token) == [TestStage.hex(Self.token(0x0B))] }
            #expect(stage.pushes(.end).isEmpty)
            // Beside it, the present login's next one runs. Both have another name, and the token is new.
            try await put("b", 1, stage)
            try await stage.follow(0..<1, "b")
            try await stage.eventually { stage.pushes(.start).count == 3 }
            try await stage.settled()
            #expect(try await report(nil, #""topic":"b""#, system: "third", stage).status == 200)
            #expect(try await report(0x1A, Self.type, system: "other", stage).code == "ACTIVITY_AMBIGUOUS")
            // A known name counts, also without a token and by a topic that has another activity by now.
            let known = try await report(nil, #""topic":"b""#, system: "second", stage)
            #expect(known["activity_id"]?.string == first["activity_id"]?.string, "\(known.text)")
        }
    }

    @Test("A token of an ended activity goes to it under a new name, and not to the running one of the topic")
    func knownToken() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            var lives: [String] = []
            for (life, tokens, name) in [(1, [0x1A, 0x0A], nil), (2, [nil], "second")] as [(Int, [UInt8?], String?)] {
                lives.append(try await start(life, stage))
                for token in tokens {
                    #expect(try await report(token, #""topic":"a""#, system: name, stage).status == 200)
                }
                if life == 1 { try await put("a", 1, stage, state: "ended") }
                try await stage.settled()
            }
            for token: UInt8 in [0x1A, 0x0A] {
                let late = try await report(token, #""topic":"a""#, system: "first", stage)
                #expect(late["activity_id"]?.string == lives[0], "\(late.text)")
            }
            #expect(try await report(0x0B, #""topic":"a""#, system: "second", stage).status == 200)
            try await put("a", 7, stage)
            try await stage.eventually { stage.pushes(.update).map(\.token) == [TestStage.hex(Self.token(0x0B))] }
        }
    }

    @Test("An ended Live Activity whose token rotates gets its end under its known name, by topic and by type")
    func rotatedAfterEnd() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            var lives: [String] = []
            for (life, token, name) in [(1, 0x0A, "first"), (2, 0x0B, "second")] as [(Int, UInt8, String)] {
                lives.append(try await start(life, stage))
                #expect(try await report(token, #""topic":"a""#, system: name, stage).status == 200)
                if life == 1 { try await put("a", 1, stage, state: "ended") }
                try await stage.settled()
            }
            for (token, reference) in [(0x1A, #""topic":"a""#), (0x2A, Self.type)] as [(UInt8, String)] {
                let late = try await report(token, reference, system: "first", stage)
                #expect(late["activity_id"]?.string == lives[0], "\(late.text)")
                try await stage.eventually { stage.pushes(.end).last?.token == TestStage.hex(Self.token(token)) }
            }
            #expect(try await report(0x0B, #""topic":"a""#, system: "second", stage)["activity_id"]?.string == lives[1])
            try await put("a", 7, stage)
            try await stage.eventually { stage.pushes(.update).map(\.token) == [TestStage.hex(Self.token(0x0B))] }
        }
    }
}
