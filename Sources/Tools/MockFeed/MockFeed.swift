public import MockKit
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Reactor
import TimeCore

/// A server that says what topics there are: HTTP/1.1, over TLS when it is given a directory. It answers GET for every
/// path but `/mock/...`, at which it is told what to say and how to fail. From any thread.
public final class MockFeed: Sendable {
    /// Where it listens and how.
    public struct Options: Sendable {
        /// The address, in numbers.
        public var host = "127.0.0.1"
        /// 0 for any free one.
        public var port = 0
        /// Where `ca.pem` and the server's own certificate are made, and used again; nil to speak without TLS.
        public var directory: String?

        public init() {}
    }

    /// Where it answers: `http://` or `https://` with address, port and a path.
    public let url: String
    /// Where it listens.
    public let port: Int
    /// The certificate to trust; nil without TLS.
    public let caFile: String?
    private let state: Locked<MockFeedState>
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup
    private let isStopped = Locked(false)

    /// Begins to listen. It names no topic until it is told what to say.
    public static func start(_ options: Options) async throws -> MockFeed {
        let identity = try options.directory.map { directory throws(MockError) in
            try ServerIdentity(directory: directory, name: "Fanfare's mock of a feed")
        }
        let tls = try identity.map { try context($0) }
        let state = Locked(MockFeedState())
        let isLoopback = LoopbackName.isNamed(by: options.host)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(MockFeedHandler(state, isLoopback: isLoopback))
                }
            }
        do {
            let channel = try await bootstrap.bind(host: options.host, port: options.port).get()
            return MockFeed(options, channel, group, state, caFile: identity?.authorityFile)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private init(
        _ options: Options, _ channel: any Channel, _ group: MultiThreadedEventLoopGroup,
        _ state: Locked<MockFeedState>, caFile: String?
    ) {
        self.channel = channel
        self.group = group
        self.state = state
        self.caFile = caFile
        port = channel.localAddress?.port ?? 0
        url = "\(caFile == nil ? "http" : "https")://\(options.host):\(port)/topics.json"
    }

    private static func context(_ identity: ServerIdentity) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(identity.certificateFile)
        let key = try NIOSSLPrivateKey(file: identity.certificateKeyFile, format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
    }

    /// Ends, and closes all connections. Again it does nothing.
    public func stop() async {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        guard !wasStopped else { return }
        try? await channel.close()
        try? await group.shutdownGracefully()
    }

    /// Says what the script says, from its beginning on.
    public func set(_ script: MockFeedScript) {
        state.withLock { $0.set(script, now: .now()) }
    }

    /// The same, of a script's text. Throws when it cannot be used, and changes nothing then.
    public func setScript(json: [UInt8]) throws(MockError) {
        set(try MockFeedScript(json: json))
    }

    /// Fails so from now on; nil to fail no more.
    public func set(fault: MockFeedFault?) {
        state.withLock { $0.set(fault) }
    }

    /// The first requests, at most 10,000, in their order.
    public var requests: [MockFeedRequest] { state.withLock { $0.requests } }

    /// How many requests there were.
    public var requestCount: Int { state.withLock { $0.count } }
}
