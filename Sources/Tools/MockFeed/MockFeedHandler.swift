import LiveActivity
import MockKit
import NIOCore
import NIOHTTP1
import Reactor
import TimeCore

/// A connection to a mock feed. Confined to its event loop.
final class MockFeedHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let state: Locked<MockFeedState>
    /// True if the mock is reachable only from this machine.
    private let isLoopback: Bool
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private static let longestBody = 4 * 1024 * 1024

    init(_ state: Locked<MockFeedState>, isLoopback: Bool) {
        self.state = state
        self.isLoopback = isLoopback
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let bytes):
            guard body.count + bytes.readableBytes <= Self.longestBody else { return context.close(promise: nil) }
            body += bytes.readableBytesView
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = head.uri.prefix { $0 != "?" }
        let isNamed = head.headers["host"].allSatisfy(LoopbackName.isNamed)
        guard !path.hasPrefix("/mock/") || !isLoopback || isNamed else { return reply(context, 421, [:], []) }
        switch (head.method, path) {
        case (.PUT, "/mock/script"):
            control(context) { () throws(MockError) in
                let script = try MockFeedScript(json: body)
                state.withLock { $0.set(script, now: .now()) }
            }
        case (.PUT, "/mock/fault"):
            control(context) { () throws(MockError) in
                let fault = try MockFeedFault(ScriptObject<MockFeedFault.Key>(script: body))
                state.withLock { $0.set(fault) }
            }
        case (.DELETE, "/mock/fault"): control(context) { () throws(MockError) in state.withLock { $0.set(nil) } }
        case (.GET, "/mock/counts"): reply(context, 200, [:], state.withLock { $0.counts })
        case (_, let path) where path.hasPrefix("/mock/"): reply(context, 404, [:], [])
        case (.GET, _): feed(head, context)
        default: reply(context, 405, ["allow": "GET"], [])
        }
    }

    private func control(_ context: ChannelHandlerContext, _ change: () throws(MockError) -> Void) {
        do throws(MockError) {
            try change()
            reply(context, 204, [:], [])
        } catch {
            reply(context, 400, [:], JSONWriter.object { $0.field("error", error.description) })
        }
    }

    private func feed(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch state.withLock({ $0.received(head.headers, now: .now()) }) {
        case .close: context.close(promise: nil)
        case .half(let body):
            write(context, 200, ["content-length": "\(body.count)"])
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body.prefix(body.count / 2))))), promise: nil)
            context.flush()
        case .reply(let status, let headers, let body, let delay):
            guard delay > .zero else { return reply(context, status, headers, body) }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .nanoseconds(Int64(clamping: delay.nanoseconds))) {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                handler.reply(context, status, headers, body)
            }
        }
    }

    private func reply(_ context: ChannelHandlerContext, _ status: Int, _ headers: HTTPHeaders, _ body: [UInt8]) {
        var headers = headers
        let hasBody = status != 304 && status != 204
        if hasBody { headers.replaceOrAdd(name: "content-length", value: "\(body.count)") }
        write(context, status, headers)
        if hasBody, !body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func write(_ context: ChannelHandlerContext, _ status: Int, _ headers: HTTPHeaders) {
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }
}
