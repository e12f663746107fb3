import Encodings
import LiveActivity
import RedisClient
import Secrets
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Operators and sessions in the store")
struct OperatorStoreTests {
    @Test("Operators are told apart by name, known by their keys, and kept as hashes only")
    func operators() async throws {
        try await StoreStage.run { stage in
            let operators = stage.store.operators
            let ada = try #require(try await operators.create("ada"))
            let bob = try #require(try await operators.create("bob"))
            #expect(try await operators.create("ada") == nil)
            #expect(try await operators.all().map(\.name) == ["ada", "bob"])
            #expect(try await operators.owner(ofKey: ada)?.name == "ada")
            #expect(try await operators.owner(ofKey: bob)?.name == "bob")
            for key in ["", "ffo_", ada.uppercased(), String(ada.dropLast())] {
                #expect(try await operators.owner(ofKey: key) == nil)
            }
            let kept = try await operators.value(RedisCommand("HGETALL", Keys.operators)).fields
            #expect(kept.count == 2)
            for (_, value) in kept {
                let text = String(decoding: value, as: UTF8.self)
                #expect(text.prefix(64).allSatisfy { $0.isHexDigit } && !text.contains(ada.dropFirst(4)))
            }
            #expect(try await operators.remove("ada"))
            #expect(try await !operators.remove("ada"))
            #expect(try await operators.owner(ofKey: ada) == nil)
        }
    }

    @Test("An operator's name is short and plain")
    func names() {
        for name in ["a", "ada.l@x-y_z", String(repeating: "n", count: 64)] { #expect(StoredOperators.isName(name)) }
        for name in ["", "a b", "é", "a\n", "<b>", String(repeating: "n", count: 65)] {
            #expect(!StoredOperators.isName(name))
        }
    }

    @Test("A session rests for an hour at most, lasts twelve, and is worth its operator's key")
    func sessions() async throws {
        try await StoreStage.run { stage in
            let (operators, sessions) = (stage.store.operators, stage.store.sessions)
            let key = try #require(try await operators.create("ada"))
            let hash = Secret.hexHash(key)
            let given = try await sessions.begin(.operatorNamed("ada"), keyHash: hash)
            let (secret, session) = (given.secret, given.session)
            #expect(session.isToken(given.token) && !session.isToken(secret) && !session.isToken(""))
            #expect(try await sessions.session(of: secret) == session)
            #expect(try await sessions.session(of: secret + "0") == nil)
            let kept = Keys.session(Secret.hexHash(secret))
            func rest() async throws -> Int64 { try await sessions.value(RedisCommand("PTTL", kept)).int ?? 0 }
            let left = try await rest()
            #expect(left > 0 && left <= 3_600_000)
            // Reading a session extends it.
            _ = try await sessions.value(RedisCommand("PEXPIRE", kept, 20_000))
            _ = try await sessions.session(of: secret)
            #expect(try await rest() > 3_000_000)
            // A session ends at its time, however often it is read.
            let last = ConsoleSession(
                identity: .operatorNamed("ada"), keyHash: hash, tokenHash: "t",
                endsAt: stage.store.wallClock() + .seconds(30))
            _ = try await sessions.value(RedisCommand("SET", kept, last.kept, "PX", 20_000))
            #expect(try await sessions.session(of: secret) == last)
            #expect(try await rest() <= 30_000)
            let over = ConsoleSession(
                identity: .operatorNamed("ada"), keyHash: hash, tokenHash: "t", endsAt: WallTime(milliseconds: 1))
            _ = try await sessions.value(RedisCommand("SET", kept, over.kept, "PX", 20_000))
            #expect(try await sessions.session(of: secret) == nil)

            let other = try await sessions.begin(.operatorNamed("ada"), keyHash: hash).secret
            _ = try await operators.remove("ada")
            _ = try await operators.create("ada")
            #expect(try await sessions.session(of: other) == nil)
            let third = try await sessions.begin(.tenant("t 1"), keyHash: hash).secret
            #expect(try await sessions.session(of: third)?.identity == .tenant("t 1"))
            try await sessions.end(third)
            #expect(try await sessions.session(of: third) == nil)
        }
    }

    @Test("What is not a session's text is none")
    func texts() {
        for text in ["", "operator", "operator h t 1", "x h t 1 n", "tenant h t x n"] {
            #expect(ConsoleSession(kept: Array(text.utf8)) == nil)
        }
    }
}
