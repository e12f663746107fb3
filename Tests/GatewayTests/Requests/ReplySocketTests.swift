import NIOCore
import NIOEmbedded
import NIOPosix
import TestSupport
import Testing

@testable import GatewayAPI

@Suite("Answers written past the channel")
struct ReplySocketTests {
    private static let requestLength = 128

    private static func request(_ number: Int) -> String {
        let head = "POST /api/v1/sdk/sync HTTP/1.1\r\nHost: a\r\nX-Request-Id: r\(number)\r\nContent-Length: "
        // JSON may have blanks in front of it.
        let body = String(repeating: " ", count: requestLength - head.utf8.count - 8) + "{}"
        return head + "\(body.utf8.count)\r\n\r\n" + body
    }

    @Test(
        "A client that reads nothing for a while gets every answer whole and in its order, also when it sends no more",
        .timeLimit(.minutes(2)), arguments: [400, 100])
    func lateReader(count: Int) async throws {
        try await TestStage.run { stage in
            let reports = PlainReports(stage)
            // The kernel takes a few answers for this connection, and no more. Whole requests are read.
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.socketOption(.so_sndbuf), value: 4096)
                .childChannelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16 * Self.requestLength)
                )
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try reports.install(in: channel, socket: ReplySocket(channel))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = try #require(server.localAddress?.port)
            // Little of the answers fits into the client's socket before it reads.
            let client = try RawClient(port: port, room: 4096)
            for number in 0..<count { #expect(client.send(Self.request(number))) }
            client.endSending()
            try await Task.sleep(for: .milliseconds(500))
            let text = try await DispatchThread.value { client.readToEnd() }
            let replies = RawReply.all(in: try #require(text))
            let areInOrder = replies?.map(\.requestID) == (0..<count).map { "r\($0)" }
            #expect(areInOrder && replies?.allSatisfy { $0.status == 401 } == true)
            try await server.close().get()
        }
    }

    /// The bytes that a client receives: from the kernel, and from the channel in its turn.
    private final class Wire: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var text = ""
        private var waiting: [(ByteBuffer, EventLoopPromise<Void>?)] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            waiting.append((unwrapOutboundIn(data), promise))
        }

        func writeOne() {
            guard !waiting.isEmpty else { return }
            let (buffer, promise) = waiting.removeFirst()
            text += String(buffer: buffer)
            promise?.succeed()
        }

        var isEmpty: Bool { waiting.isEmpty }
    }

    @Test("The channel writes the part of an answer that the kernel did not take, and keeps the order")
    func pieces() async throws {
        try await TestStage.run { stage in
            var random = TestSeed.generator()
            let channel = EmbeddedChannel()
            let wire = Wire()
            try channel.pipeline.syncOperations.addHandler(wire)
            var taken = [0, 0, 0]
            let socket = ReplySocket { bytes in
                let kind = Int.random(in: 0..<3, using: &random)
                taken[kind] += 1
                let count = [0, bytes.count, Int.random(in: 1..<bytes.count, using: &random)][kind]
                wire.text += String(decoding: bytes[..<count], as: UTF8.self)
                return count
            }
            try PlainReports(stage).install(in: channel, socket: socket)
            let count = 1000
            for number in 0..<count {
                try channel.writeInbound(ByteBuffer(string: Self.request(number)))
                for _ in 0..<Int.random(in: 0...3, using: &random) { wire.writeOne() }
            }
            while !wire.isEmpty { wire.writeOne() }
            let replies = RawReply.all(in: wire.text)
            let areInOrder = replies?.map(\.requestID) == (0..<count).map { "r\($0)" }
            #expect(areInOrder && taken.allSatisfy { $0 > 50 }, "\(taken)")
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test("A server that shuts down sends the waiting answers of a connection, then closes it")
    func ending() async throws {
        try await TestStage.run { stage in
            let channel = EmbeddedChannel()
            let wire = Wire()
            try channel.pipeline.syncOperations.addHandler(wire)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            let socket = ReplySocket { bytes in
                wire.text += String(decoding: bytes[..<10], as: UTF8.self)
                return 10
            }
            try PlainReports(stage).install(in: channel, socket: socket)
            let count = 5
            for number in 0..<count { try channel.writeInbound(ByteBuffer(string: Self.request(number))) }
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            for _ in 0..<count {
                #expect(channel.isActive)
                wire.writeOne()
            }
            #expect(RawReply.all(in: wire.text)?.map(\.requestID) == (0..<count).map { "r\($0)" })
            while !wire.isEmpty { wire.writeOne() }
            #expect(!channel.isActive)
        }
    }
}
