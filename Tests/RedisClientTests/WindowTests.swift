import Reactor
import Testing

@testable import RedisClient

@Suite("Long rows of commands whose replies are read where they lie", .timeLimit(.minutes(2)))
struct WindowTests {
    @Test("Each reply is read once, in its place, and no more than the window are under way")
    func order() async throws {
        try await withClient { client, _ in
            let count = 1000
            let most = Locked(0)
            let values = Locked([Int: String]())
            let error = await client.pipeline(
                count, window: 16, command: { RedisCommand("ECHO", "\($0)") },
                read: { place, reply in
                    most.withLock { $0 = max($0, client.node.openCalls) }
                    #expect(values.withLock { $0.updateValue(reply.string, forKey: place) } == nil)
                })
            #expect(error == nil)
            #expect(values.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, "\($0)") }))
            #expect((8...16).contains(most.withLock { $0 }))
            let none = await client.pipeline(0, window: 16, command: { _ in RedisCommand("PING") }, read: { _, _ in })
            #expect(none == nil)
        }
    }

    @Test("Behind the first error nothing more is sent, and the error comes when all that was sent has its outcome")
    func failure() async throws {
        try await withClient { client, _ in
            let result = await client.pipeline(
                1000, window: 10, command: { $0 == 20 ? RedisCommand("NOSUCH") : RedisCommand("INCR", "count") },
                read: { _, _ in })
            guard case .rejected? = result else {
                Issue.record("\(result)")
                return
            }
            let counted = try await client.value(RedisCommand("GET", "count")).int ?? 0
            #expect((20...30).contains(counted))
        }
    }
}
