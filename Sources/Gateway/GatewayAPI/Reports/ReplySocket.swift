import Glibc
public import NIOCore

/// The socket of a connection, for answers that are complete in themselves. The kernel nearly always takes such an
/// answer whole and at once, and the way through the channel costs as much again as half of that.
///
/// Whoever writes has to know that nothing waits in the channel. Confined to the channel's event loop.
public struct ReplySocket {
    /// How many of the bytes the kernel has taken. When these are not all the rest is the channel's, which also finds
    /// out when the connection is broken.
    let write: ([UInt8]) -> Int

    /// - Parameter write: what takes bytes in the kernel's place.
    init(write: @escaping ([UInt8]) -> Int) {
        self.write = write
    }

    /// That of a channel in whose pipeline nobody else changes what is written; nil where the channel has none.
    public init?(_ channel: any Channel) {
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let descriptor else { return nil }
        write = { bytes in
            // A descriptor that is closed may be another connection's.
            guard channel.isActive else { return 0 }
            return bytes.withUnsafeBytes { max(0, send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))) }
        }
    }
}
