import Glibc

/// An IPv4 address and a port as system calls take them: the sixteen bytes of a `sockaddr_in`. The structure itself is
/// of one module or of another, by what is compiled beside a file that says its fields.
enum SocketName {
    private static let length = 16
    private static let port = 2..<4

    /// Gives it to a call.
    /// - Parameter host: in numbers.
    static func with(
        _ host: String, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var bytes = withUnsafeBytes(of: sa_family_t(AF_INET)) { Array($0) }
        bytes += withUnsafeBytes(of: port.bigEndian) { Array($0) }
        bytes += withUnsafeBytes(of: inet_addr(host)) { Array($0) }
        bytes += Array(repeating: 0, count: length - bytes.count)
        return bytes.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length)) }
    }

    /// The port that a socket has; nil when it has none.
    static func port(of descriptor: Int32) -> UInt16? {
        var bytes = [UInt8](repeating: 0, count: length)
        var count = socklen_t(length)
        let status = bytes.withUnsafeMutableBytes {
            getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &count)
        }
        return status == 0 ? bytes[port].reduce(0) { $0 << 8 | UInt16($1) } : nil
    }
}
