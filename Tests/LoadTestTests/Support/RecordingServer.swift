import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A loopback server that records requests and answers as the test sets.
final class RecordingServer: Sendable {
    struct Request: Sendable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: String
        /// The number of its connection, from 0.
        let connection: Int
    }

    enum Answer: Sendable {
        case reply(Int, String = #"{"status":"success"}"#, headers: [String: String] = [:])
        /// Sent when `release` is called.
        case held(Int)
        case silence
        /// Closes the connection without an answer.
        case hangUp
    }

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var releases: [@Sendable () -> Void] = []
        var isReleased = false
    }

    private let state = Mutex(State())
    private let keepsRequests: Bool
    private let answer: @Sendable (Request, Int) -> Answer
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// - Parameter answer: Receives the request and the number of requests before it.
    init(keepsRequests: Bool = true, _ answer: @escaping @Sendable (Request, Int) -> Answer) {
        self.keepsRequests = keepsRequests
        self.answer = answer
    }

    /// Runs `body` with a server and ends it.
    static func with<Result>(
        _ answer: @escaping @Sendable (Request, Int) -> Answer, _ body: (RecordingServer) async throws -> Result
    ) async throws -> Result {
        let server = RecordingServer(answer)
        try await server.start()
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    func start(port: Int = 0) async throws {
        let bound = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = state.withLock { state in
                        state.connections += 1
                        return state.connections - 1
                    }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(RecordingHandler(self, number))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        channel.withLock { $0 = bound }
    }

    func stop() async {
        let channel = channel.withLock { $0 }
        try? await channel?.close().get()
        try? await group.shutdownGracefully()
    }

    var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }
    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }

    /// Sends the held answers, and holds no more.
    func release() {
        let releases = state.withLock { state in
            state.isReleased = true
            defer { state.releases = [] }
            return state.releases
        }
        for release in releases { release() }
    }

    /// Releases after a time.
    func release(after time: TimeAmount) {
        group.next().scheduleTask(in: time) { self.release() }
    }

    fileprivate func received(_ request: Request) -> Answer {
        let index = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        return answer(request, index)
    }

    /// Returns true if the answer is held until `release`; false if it can be sent now.
    fileprivate func hold(_ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isReleased else { return false }
            state.releases.append(body)
            return true
        }
    }
}

private final class RecordingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: RecordingServer
    private let connection: Int
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ server: RecordingServer, _ connection: Int) {
        self.server = server
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end: requestEnded(context)
        }
    }

    private func requestEnded(_ context: ChannelHandlerContext) {
        guard let head else { return }
        var headers: [String: String] = [:]
        for field in head.headers { headers[field.name.lowercased()] = field.value }
        let answer = server.received(
            .init(
                method: head.method.rawValue, path: head.uri, headers: headers, body: String(buffer: body),
                connection: connection))
        switch answer {
        case .reply(let status, let text, let headers): reply(context, status, text, headers)
        case .held(let status):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let eventLoop = context.eventLoop
            let isHeld = server.hold {
                eventLoop.execute { bound.value.0.reply(bound.value.1, status, "{}", [:]) }
            }
            if !isHeld { reply(context, status, "{}", [:]) }
        case .silence: break
        case .hangUp: context.close(promise: nil)
        }
    }

    private func reply(_ context: ChannelHandlerContext, _ status: Int, _ text: String, _ headers: [String: String]) {
        var fields = HTTPHeaders([("Content-Type", "application/json"), ("Content-Length", "\(text.utf8.count)")])
        for (name, value) in headers { fields.add(name: name, value: value) }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
