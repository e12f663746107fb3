import Glibc
import Reactor

/// An address that drops packets: a listener with a full accept queue.
final class BlackHole {
    let address: SocketAddress
    private var descriptors: [Int32] = []

    struct Failed: Error {}

    init(host: String) throws {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, host, &name.sin_addr) == 1 else { throw Failed() }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors = [listener]
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening, let address = SocketAddress(numericHost: host, port: UInt16(bigEndian: name.sin_port)) else {
            throw Failed()
        }
        self.address = address
        // More connections than the queue holds, without waiting for any.
        for _ in 0..<4 {
            let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(filler)
            withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(filler, $0, length) }
            }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
