import Delivery
import Reactor
import RedisClient
import RedisServerProcess
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Shared provider tokens in Redis") struct StoredProviderTokenTests {
    private let account = ProviderAccount(("team", "TEAM123456"), ("key", "KEY1234567"))
    private var name: String { Keys.providerToken(account) }

    private func token(_ issuedAt: UInt64, usableFor: UInt64 = 3_000) -> SharedProviderToken {
        SharedProviderToken(
            issuedAt: issuedAt, sealed: [0, 13, 10, 255, UInt8(issuedAt % 251)], usableFor: usableFor)
    }

    private func exchange(
        _ stage: StoreStage, _ offer: SharedProviderToken?, refused: UInt64? = nil
    ) async -> SharedProviderTokenReply {
        let tokens = StoredProviderTokens(stage.store)
        return await withCheckedContinuation { continuation in
            stage.reactor.execute {
                tokens.exchange(offer, refused: refused, minimumInterval: 1_200, for: account) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    /// The reply for a token. The store does not return `usableFor`.
    private func shared(_ token: SharedProviderToken) -> SharedProviderTokenReply {
        .shared(SharedProviderToken(issuedAt: token.issuedAt, sealed: token.sealed, usableFor: 0))
    }

    @Test("The first offer is taken, and everybody after it gets that one, bytes and all")
    func first() async throws {
        try await StoreStage.run { stage in
            #expect(await exchange(stage, nil) == .nothing)
            #expect(await exchange(stage, token(1_700_000_000)) == .taken)
            #expect(await exchange(stage, token(1_700_000_001)) == shared(token(1_700_000_000)))
            #expect(await exchange(stage, nil) == shared(token(1_700_000_000)))
            let left = try await stage.store.value(RedisCommand("PTTL", name)).int ?? 0
            #expect((2_900_000...3_000_000).contains(left))
        }
    }

    @Test("Of a hundred offers at once exactly one is taken")
    func race() async throws {
        try await StoreStage.run { stage in
            let taken = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask { await exchange(stage, token(1_700_000_000 + UInt64(number))) == .taken }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
        }
    }

    @Test("A token that nobody may begin to use any more is gone")
    func outdated() async throws {
        try await StoreStage.run { stage in
            #expect(await exchange(stage, token(1_700_000_000, usableFor: 1)) == .taken)
            let end = MonotonicTime.now() + .seconds(20)
            while await exchange(stage, nil) != .nothing, MonotonicTime.now() < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(await exchange(stage, token(1_700_000_001)) == .taken)
        }
    }

    @Test("A token that the provider refused gives way to an offer, and only that one, and not twice in twenty minutes")
    func refused() async throws {
        try await StoreStage.run { stage in
            #expect(await exchange(stage, token(1_700_000_000)) == .taken)
            // Neither a read nor a refusal of another token removes it.
            #expect(await exchange(stage, nil, refused: 1_700_000_000) == shared(token(1_700_000_000)))
            let stranger = await exchange(stage, token(1_700_002_000), refused: 1_699_999_999)
            #expect(stranger == shared(token(1_700_000_000)))
            #expect(await exchange(stage, token(1_700_002_000), refused: 1_700_000_000) == .taken)
            // A late gateway with the same refusal gets the new token.
            #expect(
                await exchange(stage, token(1_700_002_001), refused: 1_700_000_000) == shared(token(1_700_002_000)))
            #expect(
                await exchange(stage, token(1_700_002_002), refused: 1_700_002_000) == shared(token(1_700_002_000)))
            // Twenty minutes later, by Redis's clock.
            let time = try await stage.store.value(RedisCommand("HGET", name, "renewed")).int ?? 0
            _ = try await stage.store.value(RedisCommand("HSET", name, "renewed", Int(time) - 1_200))
            #expect(await exchange(stage, token(1_700_002_003), refused: 1_700_002_000) == .taken)
        }
    }

    @Test("Whatever somebody has written there, there is an answer")
    func planted() async throws {
        try await StoreStage.run { stage in
            _ = try await stage.store.value(RedisCommand("SET", name, "a string"))
            #expect(await exchange(stage, token(1_700_000_000)) == .unavailable)
            _ = try await stage.store.value(RedisCommand("DEL", name))
            _ = try await stage.store.value(
                RedisCommand("HSET", name, "issued", "soon", "token", "nonsense", "renewed", "never"))
            let reply = await exchange(stage, token(1_700_000_000))
            #expect(reply == .shared(SharedProviderToken(issuedAt: 0, sealed: Array("nonsense".utf8), usableFor: 0)))
            #expect(await exchange(stage, token(1_700_000_000), refused: 7) == reply)
        }
    }

    @Test("Without Redis the answer is that there is none, within the deadline for commands")
    func down() async throws {
        try await StoreStage.run { stage in
            stage.backend.kill()
            #expect(await exchange(stage, token(1_700_000_000)) == .unavailable)
            #expect(await exchange(stage, nil) == .unavailable)
        }
    }

    private func takeLease(_ stage: StoreStage, _ tokens: StoredProviderTokens, seconds: Int = 10) async
        -> TokenLeaseReply
    {
        await stage.reactor.call(stopped: .unavailable) { done in
            tokens.takeLease(for: account, time: .seconds(seconds)) { done($0) }
        }
    }

    @Test(
        "The lease on getting the next token is one gateway's at a time; only whoever has it can give it back, and it runs out"
    )
    func lease() async throws {
        try await StoreStage.run { stage in
            let (first, second) = (StoredProviderTokens(stage.store), StoredProviderTokens(stage.store))
            #expect(await takeLease(stage, first) == .taken)
            #expect(await takeLease(stage, second) == .another)
            #expect(await takeLease(stage, first) == .another)
            let left = try await stage.store.value(RedisCommand("PTTL", Keys.providerTokenLease(account))).int ?? 0
            #expect((5_000...10_000).contains(left))
            stage.reactor.execute { second.returnLease(for: account) }
            #expect(await takeLease(stage, second) == .another)
            stage.reactor.execute { first.returnLease(for: account) }
            #expect(await takeLease(stage, second) == .taken)
            stage.backend.kill()
            #expect(await takeLease(stage, first) == .unavailable)
        }
    }
}
