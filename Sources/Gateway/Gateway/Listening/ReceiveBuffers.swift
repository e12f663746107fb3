import NIOCore

/// What a client's connection reads into. It keeps that until it ends, whether anything comes or not.
enum ReceiveBuffers {
    /// The longest, in bytes. Dozens of reports fit into what is read at once.
    static let longest = 16 * 1024

    /// On the channel's event loop.
    static func limit(_ channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(
            .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: longest))
        // So many are kept, and other connections have their turn when one is full.
        try options.setOption(.maxMessagesPerRead, value: 1)
    }
}
