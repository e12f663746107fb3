import Glibc
public import NIOCore

/// The socket of a connection, for complete answers. The kernel nearly always accepts these at once, and the way
/// through the channel would cost half as much again.
///
/// The caller must know that nothing waits in the channel. Confined to the channel's event loop.
public struct ReplySocket {
    /// Writes bytes and returns the number that the kernel accepted. The channel must write the rest, and detects a
    /// broken connection.
    let write: ([UInt8]) -> Int

    /// - Parameter write: A substitute for `send`.
    init(write: @escaping ([UInt8]) -> Int) {
        self.write = write
    }

    /// The socket of a channel whose other handlers do not change written bytes; nil if the channel has none.
    public init?(_ channel: any Channel) {
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let descriptor else { return nil }
        write = { bytes in
            // After the close another connection may have the descriptor.
            guard channel.isActive else { return 0 }
            return bytes.withUnsafeBytes { max(0, send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))) }
        }
    }
}
