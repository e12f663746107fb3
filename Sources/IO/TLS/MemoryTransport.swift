import COpenSSL
import FlatMemory

/// OpenSSL's source and sink of ciphertext: two queues in memory.
///
/// OpenSSL's own memory buffers clear memory on each write and when emptied, which costs as much as sending a push.
final class MemoryTransport {
    /// Unread bytes from the peer.
    var incoming = ByteQueue(capacity: 4_096)
    /// Unsent bytes for the peer.
    var outgoing = ByteQueue(capacity: 16_384)

    /// Creates a BIO for this transport; nil without memory. The caller owns it and keeps the transport as long.
    func makeBIO() -> OpaquePointer? {
        guard let method = MemoryTransport.method.pointer, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    /// The functions that OpenSSL calls. Immutable; created once and never freed.
    private struct Method: @unchecked Sendable {
        let pointer: OpaquePointer?

        init() {
            pointer = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "memory transport")
            guard let pointer else { return }
            BIO_meth_set_write_ex(pointer, MemoryTransport.write)
            BIO_meth_set_read_ex(pointer, MemoryTransport.read)
            BIO_meth_set_ctrl(pointer, MemoryTransport.control)
        }
    }

    private static let method = Method()

    private static func transport(_ bio: OpaquePointer?) -> MemoryTransport? {
        guard let bio, let data = BIO_get_data(bio) else { return nil }
        return Unmanaged<MemoryTransport>.fromOpaque(data).takeUnretainedValue()
    }

    private static let write:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, Int, UnsafeMutablePointer<Int>?
        ) -> Int32 = { bio, bytes, count, written in
            guard let transport = transport(bio), let bytes, count > 0 else { return 0 }
            transport.outgoing.append(bytes, count: count)
            written?.pointee = count
            return 1
        }

    private static let read:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<CChar>?, Int, UnsafeMutablePointer<Int>?
        ) -> Int32 = { bio, target, room, count in
            guard let transport = transport(bio), let target else { return 0 }
            BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY)
            let available = min(room, transport.incoming.count)
            guard available > 0, let source = transport.incoming.bytes.baseAddress else {
                // More bytes may follow; the socket reports the end of the stream.
                BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
                return 0
            }
            UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: available)
            transport.incoming.taken(available)
            count?.pointee = available
            return 1
        }

    private static let control: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = {
        bio, command, _, _ in
        switch command {
        case BIO_CTRL_FLUSH, BIO_CTRL_DUP: 1
        case BIO_CTRL_PENDING: transport(bio)?.incoming.count ?? 0
        case BIO_CTRL_WPENDING: transport(bio)?.outgoing.count ?? 0
        default: 0
        }
    }
}
