import LiveActivity
import RedisClient
import Testing

@testable import GatewayStore

@Suite("Long rows of commands", .timeLimit(.minutes(2)))
struct CommandPieceTests {
    @Test("A piece has so many commands and bytes at most, and one at least")
    func lengths() {
        let (many, bytes) = (StoreContext.commandsInPiece, StoreContext.bytesInPiece)
        #expect(StoreContext.pieceLength(of: []) == 0)
        #expect(StoreContext.pieceLength(of: [10, 10]) == 2)
        #expect(StoreContext.pieceLength(of: Array(repeating: 1, count: many + 1)) == many)
        #expect(StoreContext.pieceLength(of: [bytes, 1]) == 1)
        #expect(StoreContext.pieceLength(of: [bytes + 1, 1]) == 1)
        #expect(StoreContext.pieceLength(of: [bytes / 2, bytes / 2, 1]) == 2)
    }

    @Test("Commands of others come between those of a long row, whose replies keep their order")
    func between() async throws {
        try await StoreStage.run { stage in
            let count = 20 * StoreContext.commandsInPiece
            async let row = stage.store.devices.values((0..<count).map { _ in RedisCommand("INCR", "counter") })
            var seen: Int64 = 0
            // Each look has a round trip to itself, so the first one that sees anything has come in between.
            while seen == 0 {
                seen = try await stage.redis.value(RedisCommand("GET", "counter")).string.flatMap { Int64($0) } ?? 0
            }
            #expect(seen < Int64(count))
            #expect(try await row.map(\.int) == (1...Int64(count)).map { $0 })
        }
    }
}
