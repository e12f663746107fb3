import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Idempotency keys")
struct IdempotencyTests {
    private func name(_ stage: StoreStage, _ body: String = "body") -> StoredAnswers.IdempotencyKey {
        StoredAnswers.IdempotencyKey(tenantID: stage.tenant, route: "/start", key: "order-1", body: Array(body.utf8))
    }

    /// The claim in a word, with the id that goes with it.
    private func claim(
        _ stage: StoreStage, _ id: UniqueID, body: String = "body", hold: TimeInterval = .seconds(20)
    ) async throws -> String {
        switch try await stage.store.answers.claim(name(stage, body), proposing: id, hold: hold) {
        case .claimed(let id, _): "claimed \(id)"
        case .underWay(let id): "under way \(id)"
        case .answered(let status, let reply): "\(status) \(String(decoding: reply, as: UTF8.self))"
        case .reused: "reused"
        }
    }

    @Test("The first one's id stands: under way, when its holder is gone, and when nobody knows what came of it")
    func sameID() async throws {
        try await StoreStage.run { stage in
            let (first, second) = (UniqueID.random(), UniqueID.random())
            #expect(try await claim(stage, first) == "claimed \(first)")
            #expect(try await claim(stage, second) == "under way \(first)")
            #expect(try await claim(stage, second, body: "another") == "reused")
            stage.advance(.seconds(21))
            #expect(try await claim(stage, second) == "claimed \(first)")
            #expect(try await claim(stage, second) == "under way \(first)")
            try await stage.store.answers.letGo(name(stage))
            #expect(try await claim(stage, second) == "claimed \(first)")
            _ = try await stage.store.answers.answer(name(stage), status: 200, reply: Array("{}".utf8))
            #expect(try await claim(stage, second) == "200 {}")
        }
    }

    @Test("The first arrival counts, unless the release of the key forgets it")
    func arrival() async throws {
        try await StoreStage.run { stage in
            let answers = stage.store.answers
            let first = stage.now
            for forgets in [false, true] {
                let claim = try await answers.claim(name(stage), proposing: .random(), hold: .seconds(20))
                guard case .claimed(_, let arrived) = claim else { throw CancellationError() }
                #expect(arrived == first)
                stage.advance(.seconds(1))
                try await answers.letGo(name(stage), forgetsArrival: forgets)
            }
            for _ in 0..<2 {
                let claim = try await answers.claim(name(stage), proposing: .random(), hold: .seconds(20))
                guard case .claimed(_, let arrived) = claim else { throw CancellationError() }
                #expect(arrived == first + .seconds(2))
                stage.advance(.seconds(1))
                try await answers.letGo(name(stage))
            }
        }
    }

    @Test("A claim that is renewed is nobody else's, however long the work takes")
    func renewed() async throws {
        try await StoreStage.run { stage in
            let (first, second) = (UniqueID.random(), UniqueID.random())
            #expect(try await claim(stage, first) == "claimed \(first)")
            for _ in 0..<3 {
                stage.advance(.seconds(15))
                try await stage.store.answers.renew(name(stage), hold: .seconds(20))
                #expect(try await claim(stage, second) == "under way \(first)")
            }
            stage.advance(.seconds(21))
            #expect(try await claim(stage, second) == "claimed \(first)")
        }
    }

    @Test("Of two who carry the same request out the first one's answer stands, and the other is told it")
    func slept() async throws {
        try await StoreStage.run { stage in
            let (first, second) = (UniqueID.random(), UniqueID.random())
            #expect(try await claim(stage, first) == "claimed \(first)")
            stage.advance(.seconds(21))
            #expect(try await claim(stage, second) == "claimed \(first)")
            let answers = stage.store.answers
            #expect(try await answers.answer(name(stage), status: 202, reply: Array("{}".utf8)) == nil)
            let kept = try await answers.answer(name(stage), status: 200, reply: Array("[]".utf8))
            #expect(kept?.status == 202 && kept?.reply == Array("{}".utf8))
            let other = try await answers.letGo(name(stage))
            #expect(other?.status == 202 && other?.reply == Array("{}".utf8))
            #expect(try await claim(stage, second) == "202 {}")
        }
    }

    /// For how long the key of a claim is known, in milliseconds.
    private func life(_ stage: StoreStage, _ key: StoredAnswers.IdempotencyKey) async throws -> Int64 {
        try #require(try await stage.redis.call(RedisCommand("PTTL", key.redisKey)).get().int)
    }

    @Test("When a tenant's answers take what they may, further ones are kept for an hour, until there is room")
    func budget() async throws {
        try await StoreStage.run { stage in
            let answers = stage.store.answers
            func use(_ name: String, _ reply: [UInt8], of tenant: String? = nil) async throws -> Int64 {
                let key = StoredAnswers.IdempotencyKey(
                    tenantID: tenant ?? stage.tenant, route: "/start", key: name, body: [])
                _ = try await answers.claim(key, proposing: .random(), hold: .seconds(20))
                _ = try await answers.answer(key, status: 200, reply: reply)
                return try await life(stage, key)
            }
            let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)
            // Two pieces, for an answer of half of the budget and its key are a little more than that.
            let half = [UInt8](repeating: 32, count: AnswerBudget.bytes / 2)
            #expect(try await use("1", half) > day - hour)
            #expect(!answers.isBudgetSpent(name(stage)))
            #expect(try await use("2", half) > day - hour)
            #expect(answers.isBudgetSpent(name(stage)))
            #expect(try await use("3", [32]) <= hour)
            // A claim that comes to nothing is a key as well, and others have budgets of their own.
            let refused = StoredAnswers.IdempotencyKey(tenantID: stage.tenant, route: "/start", key: "4", body: [])
            _ = try await answers.claim(refused, proposing: .random(), hold: .seconds(20))
            #expect(try await life(stage, refused) <= hour)
            try await answers.letGo(refused)
            #expect(try await life(stage, refused) <= hour)
            #expect(try await use("1", [32], of: "other") > day - hour)
            // The first answer that finds room again says so.
            stage.advance(.seconds(60))
            #expect(try await use("5", [32]) <= hour)
            #expect(!answers.isBudgetSpent(name(stage)))
            #expect(try await use("6", [32]) > day - hour)
        }
    }

    @Test("Devices have a budget of their own: beyond it keys are known for a minute, beyond twice as much not at all")
    func devices() async throws {
        try await StoreStage.run { stage in
            let answers = stage.store.answers
            func key(_ number: Int) -> StoredAnswers.IdempotencyKey {
                StoredAnswers.IdempotencyKey(
                    tenantID: stage.tenant, route: "/schedule", key: "\(number)", body: [], holder: .device)
            }
            /// The life of the key, in milliseconds.
            func use(_ number: Int) async throws -> Int64 {
                guard case .claimed = try await answers.claim(key(number), proposing: .random(), hold: .seconds(20))
                else { return -1 }
                try await answers.renew(key(number), hold: .seconds(20))
                _ = try await answers.answer(key(number), status: 200, reply: Array("{}".utf8))
                return try await life(stage, key(number))
            }
            /// Sets the number of bytes that count as recorded.
            func note(_ bytes: Int) async throws {
                let key = Keys.deviceAnswers(stage.tenant)
                _ = try await stage.redis.value(
                    RedisCommand("HSET", key, "bytes", bytes, "at", stage.now.milliseconds))
            }
            let (minute, hour) = (Int64(60_000), Int64(3_600_000))
            #expect(try await (hour - minute...hour).contains(use(1)))
            #expect(try await stage.keys("*:answers").isEmpty, "a customer's budget has nothing of it")
            try await note(AnswerBudget.bytes)
            _ = try await use(2)
            #expect(try await (1...minute).contains(use(3)))
            #expect(answers.isBudgetSpent(key(4)) && !answers.isBudgetSpent(name(stage)))
            try await note(2 * AnswerBudget.bytes)
            _ = try await use(4)
            let absent = Int64(-2)
            #expect(try await use(5) == absent)
            #expect(try await use(5) == absent, "the request is carried out, with no record of its key")
            // Known keys stay known.
            let known = try await answers.claim(key(1), proposing: .random(), hold: .seconds(20))
            guard case .answered = known else { return #expect(Bool(false), "\(known)") }
            // The budget drains by the time.
            stage.advance(.seconds(1900))
            _ = try await use(6)
            #expect(try await (1...minute).contains(use(7)))
            stage.advance(.seconds(3600))
            _ = try await use(8)
            #expect(try await (hour - minute...hour).contains(use(9)))
            let text = try await stage.keys("*:answers:devices")
            #expect(text == [Keys.deviceAnswers(stage.tenant)])
        }
    }

    @Test("To let go of a key that is not there claims nothing")
    func notThere() async throws {
        try await StoreStage.run { stage in
            let other = try await stage.store.answers.letGo(name(stage))
            #expect(other == nil)
            let first = UniqueID.random()
            #expect(try await claim(stage, first) == "claimed \(first)")
        }
    }
}
