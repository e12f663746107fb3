import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("The limit of Live Activities on a device", .serialized)
struct DeviceLimitTests {
    private func stage(_ maximum: Int, _ body: (TestStage) async throws -> Void) async throws {
        try await TestStage.run(configure: { $0.rules.maximumPerDevice = maximum }) { stage in
            try await stage.addDevices(3)
            try await body(stage)
        }
    }

    private func start(_ stage: TestStage, _ count: Int = 3) async throws -> (id: String, answer: TestStage.Answer) {
        let id = try await stage.register(count)
        return (id, try await stage.call("start", TestStage.body(id)))
    }

    @Test("A start skips devices at the limit, and counts them")
    func limit() async throws {
        try await stage(2) { stage in
            let answer1 = try await start(stage, 1).answer
            #expect(answer1.accepted == 1)
            let answer2 = try await start(stage, 2).answer
            #expect(answer2.accepted == 2)
            let third = try await start(stage)
            #expect(third.answer.accepted == 2 && third.answer.skipped("too_many_cards") == 1, "\(third.answer.text)")
            // The skipped device has no push, and can be started once it has room.
            #expect(stage.starts(0..<3) == [2, 2, 1])
            let again = try await stage.call(
                "restart", TestStage.body(third.id, more: #""devices":"unsent""#))
            #expect(again.accepted == 0 && again.skipped("too_many_cards") == 1, "\(again.text)")
        }
    }

    @Test("Ended, dismissed, refused and unstarted Live Activities do not count", arguments: [0, 1, 2, 3])
    func room(_ way: Int) async throws {
        try await stage(1) { stage in
            if way == 3 {
                _ = try await stage.register(3)
            } else {
                if way == 2 {
                    stage.mock.setScript(.always(.answer(status: 400, reason: "BadDeviceToken")))
                }
                let first = try await start(stage)
                stage.mock.setScript(MockScript())
                if way < 2 {
                    let answer3 = try await start(stage).answer
                    #expect(answer3.skipped("too_many_cards") == 3)
                    try await stage.syncAll(0..<3, first.id)
                }
                if way == 0 { #expect(try await stage.call("end", TestStage.body(first.id)).accepted == 3) }
                for number in way == 1 ? 0..<3 : 0..<0 {
                    #expect(try await stage.dismiss(number, #""activity_id":"\#(first.id)""#).status == 200)
                }
                if way == 2 { try await stage.addDevices(3) }
            }
            let next = try await start(stage)
            #expect(next.answer.accepted == 3 && next.answer.skipped("too_many_cards") == 0, "\(next.answer.text)")
        }
    }

    @Test("The limit applies to early and late followers of a topic")
    func topic() async throws {
        try await stage(1) { stage in
            let answer4 = try await start(stage, 1).answer
            #expect(answer4.accepted == 1)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<2, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<3) == [1, 1, 0] }
            let answer5 = try await start(stage).answer
            #expect(answer5.skipped("too_many_cards") == 2)
            try await stage.follow(2..<3, "t")
            try await stage.eventually { (try? await stage.state(2, in: id).state) == "unsent" }
            try await stage.settled("t")
            try await stage.settled()
            #expect(stage.starts(0..<3) == [1, 1, 1])
        }
    }

    @Test("A limit of zero is no limit")
    func none() async throws {
        try await stage(0) { stage in
            for _ in 0..<7 {
                let answer6 = try await start(stage).answer
                #expect(answer6.accepted == 3)
            }
        }
    }
}
