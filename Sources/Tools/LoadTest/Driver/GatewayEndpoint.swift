import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A gateway's address, resolved and checked once.
struct GatewayEndpoint: Sendable {
    private let address: SocketAddress
    private let host: String
    private let tls: NIOSSLContext?

    /// Resolves the host. Blocks for as long as the system's resolver does.
    ///
    /// - Parameter caFile: Certificates (PEM) to trust in place of the system's.
    init(_ url: GatewayURL, owned: String?, caFile: String?) throws(LoadTestError) {
        try HostGuard.check(url, owned: owned)
        do {
            address = try SocketAddress.makeAddressResolvingHost(url.host, port: url.port)
        } catch {
            throw LoadTestError("--url: the host \(url.host) cannot be resolved")
        }
        try HostGuard.check(url, resolved: address.ipAddress ?? "nothing", owned: owned)
        host = url.host
        guard url.isSecure else {
            tls = nil
            return
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        if let caFile { configuration.trustRoots = .file(caFile) }
        do {
            tls = try NIOSSLContext(configuration: configuration)
        } catch {
            throw LoadTestError("the certificates of \(caFile ?? "the system") cannot be read: \(error)")
        }
    }

    /// Opens a connection, which notifies its owner when it is ready. Call it on the event loop.
    ///
    /// - Parameter failed: Called with the reason if the TCP connection cannot be opened.
    func connect(
        on eventLoop: any EventLoop, owner: any LoadConnectionOwner, failed: @escaping (String) -> Void
    ) {
        let owner = NIOLoopBound(owner, eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(ConnectionSet.connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
            .channelInitializer { [tls, host] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        let name = HostGuard.isAddress(host) ? nil : host
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
                    }
                    let writer = RequestWriter()
                    try pipeline.addHandler(writer)
                    try pipeline.addHandler(
                        ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)))
                    try pipeline.addHandler(
                        LoadConnection(owner: owner.value, writer: writer, isSecure: tls != nil))
                }
            }
        bootstrap.connect(to: address).assumeIsolated().whenFailure { failed(LossReason.describe($0)) }
    }
}
