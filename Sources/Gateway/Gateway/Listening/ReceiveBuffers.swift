import NIOCore

/// The receive buffers of client connections. A connection keeps its buffer until it ends, even while idle.
enum ReceiveBuffers {
    /// The maximum size in bytes. One read of this size holds dozens of reports.
    static let longest = 16 * 1024

    /// Limits the channel's buffer. On its event loop.
    static func limit(_ channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(
            .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: longest))
        // A connection keeps one buffer for each read. With one read at a time, other connections get their turn.
        try options.setOption(.maxMessagesPerRead, value: 1)
    }
}
