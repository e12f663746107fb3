import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing
import TimeCore

@Suite("Contents that a topic keeps", .serialized)
struct TopicContentTests {
    /// The body of a PUT.
    private func body(
        _ number: Int, alert: String? = nil, attributes: String? = nil, state: String = "live", text: Int = 0,
        more: String = ""
    ) -> String {
        let texts = alert.map { #""title":"\#($0)","message":"m","# } ?? ""
        let attributes = attributes.map { #""attributes":\#($0),"# } ?? ""
        let long = String(repeating: "x", count: text)
        return #"""
            {"activity_type":"\#(TestStage.type)","state":"\#(state)",
             "content":{\#(texts)\#(attributes)"content_state":{"n":\#(number),"t":"\#(long)"}}\#(more)}
            """#
    }

    private func attributes(ofSize size: Int) -> String { #"{"a":"\#(String(repeating: "y", count: size))"}"# }

    /// A start by its parts: title, attributes, the state's `n`.
    private func parts(_ push: LedgerEntry?) -> [String?] {
        [
            try? push?.aps("alert")?.member("title")?.string, push?.aps("attributes")?.text,
            try? push?.aps("content-state")?.member("n")?.text,
        ]
    }

    @Test("A start has the newest attributes of the topic's life, the newest state and the newest alert")
    func parts() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(5)
            func follow(_ number: Int, _ expected: [String?]) async throws {
                _ = try await stage.follow(number, "t")
                try await stage.eventually { stage.starts(number..<(number + 1)) == [1] }
                let token = TestStage.hex(TestStage.startToken(number))
                let push = stage.pushes(.start).last { $0.token == token }
                #expect(parts(push) == expected, "device \(number)")
                let (state, attributes) = (#"{"n":\#(expected[2] ?? ""),"t":""}"#, expected[1] ?? "")
                guard attributes != "{}" else { return }
                let phones = stage.phones(TestStage.topicApp)
                #expect(phones.differences([number], state, attributes: attributes) == [])
            }
            _ = try await stage.put("t", body(0, attributes: #"{"m":1}"#, state: "upcoming"))
            _ = try await stage.put("t", body(1, alert: "one"))
            try await follow(0, ["one", #"{"m":1}"#, "1"])
            _ = try await stage.put("t", body(2, alert: "two"))
            try await follow(1, ["two", #"{"m":1}"#, "2"])
            _ = try await stage.put("t", body(3))
            try await follow(2, ["two", #"{"m":1}"#, "3"])
            _ = try await stage.put("t", body(4, attributes: #"{"m" : 2.0}"#))
            try await follow(3, ["two", #"{"m" : 2.0}"#, "4"])
            // Another life has attributes of its own.
            _ = try await stage.put("t", body(5, state: "ended"))
            _ = try await stage.put("t", body(6, alert: "six"))
            try await stage.eventually { stage.starts(0..<4) == [2, 2, 2, 2] }
            try await follow(4, ["six", "{}", "6"])
        }
    }

    @Test("A PUT whose start would be too long with what is kept is refused, and changes nothing")
    func tooLong() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            #expect(try await stage.put("t", body(1, alert: "one", attributes: attributes(ofSize: 3000))).status == 200)
            let before = try await stage.topics("GET", "/t").text
            for more in ["", #","sequence":5"#] {
                let answer = try await stage.put("t", body(2, text: 2000, more: more))
                #expect(answer.status == 413 && answer.code == "PAYLOAD_TOO_LARGE", "\(answer.text)")
            }
            try await stage.settled("t")
            #expect(try await stage.topics("GET", "/t")["changed_at"]?.string == date(before))
            #expect(try await stage.topics("GET", "/t")["sequence"] == nil)
            // Each part fits by itself.
            _ = try await stage.follow(0, "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            #expect(parts(stage.pushes(.start).last)[2] == "1")
            let fitting = try await stage.put("t", body(3, attributes: #"{"a":""}"#, text: 2000))
            #expect(fitting.status == 200, "\(fitting.text)")
            #expect(try await stage.put("t", body(4, attributes: attributes(ofSize: 3000))).status == 200)
            // The former life's attributes do not count.
            _ = try await stage.put("t", body(5, state: "ended"))
            #expect(try await stage.put("t", body(6, alert: "six", text: 2000)).status == 200)
        }
    }

    private func date(_ text: String) -> String? {
        (try? JSONDocument(parsing: Array(text.utf8)).root.member("changed_at"))?.string
    }

    @Test("The start of a topic with channels must fit with a channel's name in it")
    func channels() async throws {
        try await TestStage.runWithChannels { stage in
            let options = #","options":{"channel":"required"}"#
            /// The longest state that a topic takes.
            func longest(_ topic: String, _ more: String) async throws -> Int {
                var (fits, tooLong) = (3000, 4096)
                while tooLong - fits > 1 {
                    let size = (fits + tooLong) / 2
                    let status = try await stage.put(topic, body(1, alert: "a", text: size, more: more)).status
                    try #require(status == 200 || status == 413)
                    if status == 200 { fits = size } else { tooLong = size }
                }
                return fits
            }
            let (single, channel) = (
                try await longest("single", #","options":{"channel":"never"}"#), try await longest("channel", options)
            )
            #expect(channel < single)
            try await stage.addDevices(3)
            try await stage.follow(0..<3, "channel")
            try await stage.eventually { stage.pushes(.start).count == 3 }
            #expect(
                stage.pushes(.start).allSatisfy {
                    $0.aps("input-push-channel") != nil && $0.answer == .answered(status: 200, reason: nil)
                })
        }
    }

    @Test("Starts that the provider refuses for their size use up no start of an hour, and newer content is started")
    func refusedForSize() async throws {
        let clock = TestClock()
        let configure: (inout GatewayOptions) -> Void = { $0.jobs.topics.healLimit = 1 }
        try await TestStage.run(clock: clock, configure: configure) { stage in
            try await stage.addDevices(1)
            var script = MockScript()
            script.rules = [MockRule(.all, .answer(status: 413, reason: "PayloadTooLarge"))]
            stage.mock.setScript(script)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.follow(0..<1, "t")
            try await stage.eventually { stage.starts(0..<1)[0] > 0 }
            try await stage.settled()
            // A refusal so soon after the PUT may be of the content before it, so one more start may follow.
            clock.advance(seconds: 31)
            try await stage.lookedAt("t")
            let refused = stage.starts(0..<1)[0]
            for _ in 0..<3 {
                clock.advance(seconds: 31)
                try await stage.lookedAt("t")
                #expect(stage.starts(0..<1) == [refused])
            }
            stage.mock.setScript(MockScript())
            _ = try await stage.put("t", TestStage.topic("live", 2, alert: false))
            try await stage.eventually { stage.starts(0..<1) == [refused + 1] }
            try await stage.settled()
            let id = try await stage.activity(of: "t")
            #expect(try await stage.sync(0, id).status == 200)
            script.rules = [
                MockRule(
                    .init(tokens: [TestStage.hex(TestStage.updateToken(0))]),
                    .answer(status: 410, reason: "Unregistered", timestamp: clock.now.milliseconds + 600_000))
            ]
            stage.mock.setScript(script)
            _ = try await stage.put("t", TestStage.topic("live", 3, alert: false))
            try await stage.settled("t")
            try await stage.settled()
            clock.advance(seconds: 31)
            try await stage.lookedAt("t")
            #expect(stage.starts(0..<1) == [refused + 2])
        }
    }
}
