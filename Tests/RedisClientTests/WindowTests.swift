import Dispatch
import Glibc
import Reactor
import RedisServerProcess
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

    @Test("Commands that replies lead to are under way while the other replies are still being read")
    func overlap() async throws {
        try await withClient { client, server in
            _ = try await client.value(RedisCommand("SET", "text", [UInt8](repeating: 1, count: 1000)))
            let window = 64
            try await withReactor { reactor in
                let watcher = RedisClient(reactor: reactor, endpoint: server.endpoint)
                defer { Task { await watcher.shutdown() } }
                _ = try await watcher.value(RedisCommand("PING"))
                let wentOn = Locked(false)
                let error = await client.pipeline(
                    window * 2, window: window, command: { _ in RedisCommand("GET", "text") },
                    read: { place, _ in
                        // All replies of the first window arrive in the turn of the first one.
                        if place == 0 { usleep(200_000) }
                        guard place == window - 1 else { return }
                        let isDone = DispatchSemaphore(value: 0)
                        Task {
                            let moreCame = await eventually(within: 5) { await reads(watcher) > window }
                            wentOn.withLock { $0 = moreCame }
                            isDone.signal()
                        }
                        isDone.wait()
                    })
                #expect(error == nil)
                #expect(wentOn.withLock { $0 })
            }
        }
    }

    /// Returns the number of GET commands that the server has executed.
    private func reads(_ client: RedisClient) async -> Int {
        let page = try? await client.value(RedisCommand("INFO", "commandstats")).string
        return page?.firstMatch(of: /cmdstat_get:calls=(\d+)/).flatMap { Int($0.1) } ?? 0
    }
}
