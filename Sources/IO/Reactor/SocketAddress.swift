import CLinux
import Encodings
import Glibc

/// An address to connect or listen on, in the kernel's form.
public struct SocketAddress: Sendable, CustomStringConvertible {
    /// The bytes of a `sockaddr` of this address's family.
    let bytes: [UInt8]
    let family: Int32
    public let description: String

    /// True for an IPv6 address.
    public var isIPv6: Bool { family == AF_INET6 }

    /// Parses a numeric IPv4 or IPv6 address; nil for other hosts.
    public init?(numericHost host: String, port: UInt16) {
        guard let address = SocketAddress.lookUp(host, port, flags: AI_NUMERICHOST).addresses.first else { return nil }
        self = address
    }

    /// A Unix socket; nil if the path is too long for the kernel (107 bytes).
    public init?(unixPath path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard !name.isEmpty, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        bytes = withUnsafeBytes(of: &address) { Array($0) }
        family = AF_UNIX
        description = "unix:\(path)"
    }

    init(bytes: [UInt8], family: Int32, description: String) {
        self.bytes = bytes
        self.family = family
        self.description = description
    }

    /// Blocks while the resolver works. Returns the addresses in the resolver's order, or none and its error.
    static func lookUp(
        _ host: String, _ port: UInt16, flags: Int32
    ) -> (addresses: [SocketAddress], failure: String?) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = fanfare_sock_stream
        hints.ai_flags = flags | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { return ([], String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            let bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
            let name = numericName(address, entry.ai_addrlen) ?? host
            let text = Authority(host: name, port: port).description
            addresses.append(SocketAddress(bytes: bytes, family: entry.ai_family, description: text))
        }
        return (addresses, addresses.isEmpty ? "no address" : nil)
    }

    private static func numericName(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { raw in
            // The array is never empty: every initializer stores a whole sockaddr.
            body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
        }
    }
}
