import Encodings
import NIOCore

extension SocketAddress {
    /// Its IP address; nil for one of a local socket.
    var number: IPAddress? {
        // The bytes of the address in `sockaddr_in` and `sockaddr_in6`.
        let place =
            switch self {
            case .v4: 4..<8
            case .v6: 8..<24
            case .unixDomainSocket: 0..<0
            }
        return withSockAddr { start, count in
            IPAddress(bytes: Array(UnsafeRawBufferPointer(start: start, count: count)[place]))
        }
    }
}
