import APNsCore
import Delivery
import Foundation
import MockAPNs
import PushClient
import RedisClient
import RedisServerProcess
import Synchronization
import Testing
import TimeCore

@Suite("Provider tokens of several gateways", .serialized) struct SharedProviderTokenTests {
    private func accepted(_ outcomes: [PushOutcome]) -> Int { outcomes.filter { $0 == .accepted }.count }

    /// Both push at the same time; how many pushes were accepted.
    private func pushBoth(_ first: TokenGateway, _ second: TokenGateway, _ count: Int = 50) async throws -> Int {
        async let one = first.push(count)
        async let two = second.push(count)
        return try await accepted(one) + accepted(two)
    }

    @Test("Two gateways that begin at once use one token, and the renewal is one for both")
    func shared() async throws {
        try await TokenStage.run { stage in
            // So that the provider, whose clock is not turned, takes neither token for one from the future.
            stage.clock.wrappingSubtract(3_100, ordering: .relaxed)
            let first = try await TokenGateway(stage)
            let second = try await TokenGateway(stage)
            #expect(try await pushBoth(first, second) == 100)
            #expect(stage.tokensSeen.count == 1)
            // A third one comes later.
            let third = try await TokenGateway(stage)
            #expect(accepted(try await third.push(10)) == 10)
            #expect(stage.tokensSeen.count == 1)
            // Fifty minutes later the token has expired in Redis. The test deletes it, as it cannot set Redis's clock.
            stage.advance(3_001)
            try await stage.redis(RedisCommand("DEL", stage.slot))
            let before = stage.mock.counts().pushes
            // The renewal is under way while the old one is in use: so the last of these may come before it.
            _ = try await pushBoth(first, second)
            #expect(try await pushBoth(first, second) == 100)
            var pushes = 200
            var last: Set<String> = []
            repeat {
                #expect(accepted(try await third.push(10)) == 10)
                pushes += 10
                last = Set(stage.mock.ledgerEntries().suffix(10).compactMap { $0.header("authorization") })
            } while last != Set(stage.tokensSeen.dropFirst()) && pushes < 10_000
            #expect(stage.tokensSeen.count == 2)
            #expect(last == Set(stage.tokensSeen.dropFirst()))
            #expect(stage.mock.counts().pushes - before == pushes)
            for gateway in [first, second, third] {
                #expect(await gateway.client.snapshot().counts.authorizations == 2)
                #expect(gateway.unusableTokens == 0)
                await gateway.close()
            }
        }
    }

    @Test("Redis holds neither the token nor any part of it")
    func sealed() async throws {
        try await TokenStage.run { stage in
            let gateway = try await TokenGateway(stage)
            _ = try await gateway.push(1)
            let value = try #require(try await stage.redis(RedisCommand("HGET", stage.slot, "token")).bytes)
            let token = Array(try #require(stage.tokensSeen.first).utf8.dropFirst("bearer ".utf8.count))
            #expect(value.count > token.count)
            for part in token.split(separator: UInt8(ascii: ".")) {
                #expect(value.firstRange(of: part.prefix(8)) == nil)
            }
            await gateway.close()
        }
    }

    @Test("Without Redis each gateway signs for itself, and they come together when it is back")
    func down() async throws {
        try await TokenStage.run { stage in
            let first = try await TokenGateway(stage)
            let second = try await TokenGateway(stage)
            stage.server.kill()
            #expect(try await pushBoth(first, second) == 100)
            #expect(stage.tokensSeen.count == 2)
            try await stage.server.start(deadline: .seconds(30))
            #expect(await first.waitForRedis())
            #expect(await second.waitForRedis())
            // The first one's becomes the shared one; the second takes it when its own is twenty minutes old.
            stage.advance(61)
            _ = try await first.push(1)
            _ = try await first.push(1)
            #expect(try await stage.redis(RedisCommand("EXISTS", stage.slot)).int == 1)
            stage.advance(1_200)
            // The second one reads the shared token while it sends with its own.
            let end = MonotonicTime.now() + .seconds(60)
            repeat {
                try #require(MonotonicTime.now() < end)
                #expect(try await pushBoth(first, second, 1) == 2)
            } while stage.lastTokens(2).count == 2
            #expect(try await pushBoth(first, second) == 100)
            #expect(stage.tokensSeen.count == 2)
            #expect(stage.lastTokens(100).count == 1)
            await first.close()
            await second.close()
        }
    }

    @Test("A Redis that does not answer holds pushes up for a moment only")
    func silent() async throws {
        try await TokenStage.run { stage in
            // The command itself may take longer than any test.
            let gateway = try await TokenGateway(stage, commandDeadline: .seconds(600))
            stage.server.pause()
            #expect(accepted(try await gateway.push(50)) == 50)
            stage.server.resume()
            #expect(stage.tokensSeen.count == 1)
            await gateway.close()
        }
    }

    @Test("What was planted or damaged in Redis is not used, left alone and reported once")
    func planted() async throws {
        try await TokenStage.run { stage in
            let first = try await TokenGateway(stage)
            _ = try await first.push(1)
            let genuine = try #require(try await stage.redis(RedisCommand("HGET", stage.slot, "token")).bytes)
            let issued = try #require(try await stage.redis(RedisCommand("HGET", stage.slot, "issued")).string)
            let token = Array(try #require(stage.tokensSeen.first).dropFirst("bearer ".count).utf8)
            var damaged = genuine
            damaged[genuine.count / 2] ^= 1
            let later = String(try #require(UInt64(issued)) + 1)
            // A token in the clear, a flipped bit, and the genuine one with another age.
            for (number, (value, time)) in [(token, issued), (damaged, issued), (genuine, later)].enumerated() {
                try await stage.redis(RedisCommand("HSET", stage.slot, "token", value, "issued", time))
                let gateway = try await TokenGateway(stage)
                #expect(accepted(try await gateway.push(20)) == 20)
                #expect(stage.tokensSeen.count == 2 + number)
                #expect(gateway.unusableTokens == 1)
                #expect(await gateway.client.snapshot().counts.unusableAuthorizations == 1)
                stage.advance(100)
                _ = try await gateway.push(20)
                #expect(gateway.unusableTokens == 1)
                #expect(try await stage.redis(RedisCommand("HGET", stage.slot, "token")).bytes == value)
                await gateway.close()
            }
            await first.close()
        }
    }

    @Test("Another private key under the same name is a mistake that the two gateways survive")
    func otherKey() async throws {
        try await TokenStage.run { stage in
            let other = stage.directory + "/other.p8"
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", other,
            ]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            let stranger = try await TokenGateway(stage, keyFile: other)
            #expect(accepted(try await stranger.push(5)) == 0)
            let gateway = try await TokenGateway(stage)
            #expect(accepted(try await gateway.push(20)) == 20)
            #expect(gateway.unusableTokens == 1)
            await stranger.close()
            await gateway.close()
        }
    }

    @Test("A token that the provider calls expired is replaced once for all gateways")
    func expired() async throws {
        try await TokenStage.run { stage in
            // Their clocks are slow by an hour and a bit: the provider takes their token for too old.
            stage.clock.store(UInt64(time(nil)) - 3_700, ordering: .relaxed)
            let first = try await TokenGateway(stage)
            let second = try await TokenGateway(stage)
            #expect(try await pushBoth(first, second, 20) == 0)
            #expect(stage.tokensSeen.count == 1)
            // Then they are set right, if not quite.
            stage.advance(2_000)
            // One push of each still probes with the old token; all others carry the new one.
            _ = try await pushBoth(first, second, 20)
            #expect(try await pushBoth(first, second, 20) == 40)
            #expect(stage.tokensSeen.count == 2)
            await first.close()
            await second.close()
        }
    }
}
