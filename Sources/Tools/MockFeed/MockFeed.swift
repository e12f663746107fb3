public import MockKit
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Reactor
import TimeCore

/// A mock of a topic feed: an HTTP/1.1 server, with TLS if it has a directory. It answers GET for every path except
/// `/mock/...`, where its script and faults are set. Callable on any thread.
public final class MockFeed: Sendable {
    /// The options of the listener.
    public struct Options: Sendable {
        /// The numeric address to listen on.
        public var host = "127.0.0.1"
        /// The TCP port; 0 takes a free one.
        public var port = 0
        /// The directory of `ca.pem` and the server's certificate, created if missing; nil disables TLS.
        public var directory: String?

        public init() {}
    }

    /// The URL of the feed: `http://` or `https://` with address, port and a path.
    public let url: String
    /// The TCP port of the listener.
    public let port: Int
    /// The path of the certificate to trust; nil without TLS.
    public let caFile: String?
    private let state: Locked<MockFeedState>
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup
    private let isStopped = Locked(false)

    /// Starts to listen. The feed is empty until a script is set.
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

    /// Closes the listener and all connections. Further calls have no effect.
    public func stop() async {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        guard !wasStopped else { return }
        try? await channel.close()
        try? await group.shutdownGracefully()
    }

    /// Replaces the script and starts it from its beginning.
    public func set(_ script: MockFeedScript) {
        state.withLock { $0.set(script, now: .now()) }
    }

    /// Parses a script and replaces the current one. If it throws, the current script stays.
    public func setScript(json: [UInt8]) throws(MockError) {
        set(try MockFeedScript(json: json))
    }

    /// Sets the fault of further requests; nil removes it.
    public func set(fault: MockFeedFault?) {
        state.withLock { $0.set(fault) }
    }

    /// The first 10,000 requests in order.
    public var requests: [MockFeedRequest] { state.withLock { $0.requests } }

    /// The number of all requests.
    public var requestCount: Int { state.withLock { $0.count } }
}
