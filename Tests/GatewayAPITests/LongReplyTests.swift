import Hummingbird
import NIOCore
import NIOEmbedded
import Testing

@testable import GatewayAPI

@Suite("Replies that go on for long")
struct LongReplyTests {
    private struct Gone: Error {}

    /// A client that takes what it is sent, or nothing until it is gone.
    private struct Client: ResponseBodyWriter {
        let channel: NIOAsyncTestingChannel
        let isStuck: Bool
        let called: AsyncStream<Void>.Continuation

        mutating func write(_ buffer: ByteBuffer) async throws { try await wait() }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await wait() }

        private func wait() async throws {
            called.yield()
            guard isStuck else { return }
            try await channel.closeFuture.get()
            throw Gone()
        }
    }

    /// Has something written or the reply ended, and turns the clock on: to shortly before the deadline, then beyond
    /// it.
    private func endings(isStuck: Bool, finishes: Bool) async throws -> [Bool] {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).get()
        let (calls, called) = AsyncStream<Void>.makeStream()
        let work = Task {
            let reply = LongReply(channel, nil, patience: .seconds(30))
            var writer: any ResponseBodyWriter = Client(channel: channel, isStuck: isStuck, called: called)
            guard !finishes else { return try await reply.finish(writer) }
            try await reply.write(ByteBuffer(string: ":\n\n"), to: &writer)
        }
        for await _ in calls { break }
        if !isStuck { try await work.value }
        var endings: [Bool] = []
        for seconds in [29, 2] {
            await channel.testingEventLoop.advanceTime(by: .seconds(Int64(seconds)))
            endings.append(LongReply(channel, nil).isOver)
        }
        try? await channel.close()
        if isStuck { await #expect(throws: Gone.self) { try await work.value } }
        return endings
    }

    @Test("A connection ends when its client takes nothing for thirty seconds, and not when it has taken everything")
    func stuck() async throws {
        for finishes in [false, true] {
            #expect(try await endings(isStuck: true, finishes: finishes) == [false, true])
            #expect(try await endings(isStuck: false, finishes: finishes) == [false, false])
        }
    }
}
