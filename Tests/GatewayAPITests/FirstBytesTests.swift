import NIOCore
import NIOEmbedded
import Testing

@testable import GatewayAPI

@Suite("The first bytes of a connection")
struct FirstBytesTests {
    private let channel = EmbeddedChannel()
    private let connections = ClientConnections(ConnectionLimits(), maximum: 10, eventLoops: 1)
    private static let time = TimeAmount.seconds(10)

    /// Collects the bytes that it receives.
    private final class Rest: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var bytes = ""
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += String(buffer: unwrapInboundIn(data))
        }
    }

    /// Opens a connection. `begin` is called with the deadline of the first complete head.
    private func connect(_ begin: @escaping (NIODeadline) -> Void) throws {
        let connection = try connections.open(channel).wait()
        try connection.whenItSpeaks(within: Self.time, begin: begin)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    private func read(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    @Test("Nothing is built before they come, and what is built then is given them, and all that follows")
    func speaks() throws {
        let rest = Rest()
        var begun = 0
        try connect { _ in
            begun += 1
            #expect(throws: Never.self) { try channel.pipeline.syncOperations.addHandler(rest) }
        }
        #expect(begun == 0)
        for text in ["G", "ET", " /"] { try read(text) }
        #expect(begun == 1 && rest.bytes == "GET /")
        #expect(throws: (any Error).self) { try channel.pipeline.syncOperations.handler(type: FirstBytesHandler.self) }
        channel.embeddedEventLoop.advanceTime(by: Self.time * 2)
        #expect(channel.isActive, "the head's deadline is no longer this handler's")
    }

    @Test("The first head has the time since the connection began, not since it speaks")
    func deadline() throws {
        var deadline: NIODeadline?
        let began = channel.embeddedEventLoop.now
        try connect { deadline = $0 }
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        try read("G")
        #expect(deadline == began + Self.time)
    }

    @Test("A connection that says nothing ends in its time, and is counted so")
    func silent() throws {
        try connect { _ in Issue.record("it has said nothing") }
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(9_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
        #expect(connections.metrics.ended(.deadline) == 1)
    }

    enum Reason: CaseIterable {
        case serverStops, clientEndsInput, error
    }

    @Test(
        "A silent connection ends with the server, with its client's input, and with an error",
        arguments: Reason.allCases)
    func ends(_ reason: Reason) throws {
        try connect { _ in Issue.record("it has said nothing") }
        switch reason {
        case .serverStops: channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        case .clientEndsInput: channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        case .error: channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        }
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }
}
