import Foundation
import LiveActivity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TestCertificates
import Testing
import TimeCore

/// An HTTP server that records events and answers as the test sets.
final class TestReceiver: Sendable {
    struct Request: Sendable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: [UInt8]

        var id: String { headers["webhook-id"] ?? "" }
        var event: SeenEvent? { (try? JSONDocument(parsing: body)).flatMap { SeenEvent($0.root) } }
    }

    struct Answer: Sendable {
        var status = 200
        var headers: [(String, String)] = []
        var body: [UInt8] = Array("ok".utf8)
        /// True if it never answers.
        var isSilent = false
        /// True if it closes the connection in place of an answer.
        var isCutOff = false
    }

    private struct State {
        var requests: [Request] = []
        var answer: @Sendable (Request, _ number: Int) -> Answer
    }

    private let state: Mutex<State>
    private let channel: any Channel
    private let box: Handler.Box
    var port: Int { channel.localAddress?.port ?? 0 }

    /// Starts listening.
    /// - Parameter tls: The server's identity; nil for plain HTTP.
    static func start(
        host: String = "127.0.0.1", tls: CertificateMaker.Identity? = nil,
        _ answer: @escaping @Sendable (Request, Int) -> Answer = { _, _ in Answer() }
    ) async throws -> TestReceiver {
        let box = Handler.Box()
        let context = try tls.map {
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: NIOSSLCertificate.fromPEMFile($0.certificateFile).map { .certificate($0) },
                    privateKey: .privateKey(NIOSSLPrivateKey(file: $0.keyFile, format: .pem))))
        }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    box.connections.withLock { $0.append(channel) }
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(box))
                }
            }
            .bind(host: host, port: 0).get()
        let receiver = TestReceiver(channel, box, answer)
        box.receiver.withLock { $0 = receiver }
        return receiver
    }

    private init(
        _ channel: any Channel, _ box: Handler.Box, _ answer: @escaping @Sendable (Request, Int) -> Answer
    ) {
        self.channel = channel
        self.box = box
        state = Mutex(State(answer: answer))
    }

    func stop() async {
        try? await channel.close()
    }

    /// The number of connections so far.
    var connectionCount: Int { box.connections.withLock { $0.count } }

    /// Closes all connections.
    func closeConnections() async {
        for connection in box.connections.withLock({ $0 }) { try? await connection.close() }
    }

    func url(_ host: String = "127.0.0.1", path: String = "/hook") -> String { "http://\(host):\(port)\(path)" }

    var requests: [Request] { state.withLock { $0.requests } }

    func setAnswer(_ answer: @escaping @Sendable (Request, Int) -> Answer) {
        state.withLock { $0.answer = answer }
    }

    /// Returns the requests once `condition` holds for them.
    func requests(
        until condition: ([Request]) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Request] {
        let end = MonotonicTime.now() + .seconds(60)
        while true {
            let requests = requests
            if condition(requests) { return requests }
            try #require(MonotonicTime.now() < end, "only \(requests.count) came", sourceLocation: sourceLocation)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func answer(_ request: Request) -> Answer {
        let (number, answer) = state.withLock {
            $0.requests.append(request)
            return ($0.requests.count, $0.answer)
        }
        return answer(request, number)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        final class Box: Sendable {
            let receiver = Mutex<TestReceiver?>(nil)
            let connections = Mutex<[any Channel]>([])
        }

        private let box: Box
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ box: Box) { self.box = box }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let buffer): body += buffer.readableBytesView
            case .end:
                guard let head, let receiver = box.receiver.withLock({ $0 }) else { return }
                var headers: [String: String] = [:]
                for (name, value) in head.headers { headers[name.lowercased()] = value }
                let request = Request(method: head.method.rawValue, path: head.uri, headers: headers, body: body)
                body = []
                let answer = receiver.answer(request)
                guard !answer.isCutOff else { return context.close(promise: nil) }
                guard !answer.isSilent else { return }
                var fields = HTTPHeaders(answer.headers)
                fields.add(name: "Content-Length", value: String(answer.body.count))
                let status = HTTPResponseStatus(statusCode: answer.status)
                context.write(
                    wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))),
                    promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}

extension TestReceiver.Request {
    /// Verifies a signature with Python's libraries, as a receiver would.
    static let verifier = """
        import base64, hashlib, hmac, sys
        secret, id, timestamp, header = sys.argv[1:5]
        body = sys.stdin.buffer.read()
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{id}.{timestamp}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        good = any(hmac.compare_digest(expected, given) for given in header.split(" "))
        sys.exit(0 if good else 3)
        """

    func isSigned(by secret: String) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", Self.verifier, secret, id, headers["webhook-timestamp"] ?? "",
            headers["webhook-signature"] ?? "",
        ]
        let input = Pipe()
        process.standardInput = input
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus == 0) }
            do {
                try process.run()
                try input.fileHandleForWriting.write(contentsOf: Data(body))
                try input.fileHandleForWriting.close()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
