import LiveActivity
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
        case .claimed(let id): "claimed \(id)"
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
