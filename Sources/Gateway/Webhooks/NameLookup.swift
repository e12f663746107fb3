import Encodings
import EventCore
import Glibc
import NIOPosix

/// Resolves names with the system's resolver on separate threads, because it blocks until a name server answers.
final class NameLookup: Sendable {
    static let shared = NameLookup()

    private let threads: NIOThreadPool
    /// The maximum number of concurrent lookups. So none waits here, where tenants have no fair shares.
    private static let threadCount = LookupQueue.capacity

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private init() {
        threads = NIOThreadPool(numberOfThreads: NameLookup.threadCount)
        threads.start()
    }

    func addresses(of name: String) async throws -> [IPAddress] {
        try await threads.runIfActive { try NameLookup.look(name) }
    }

    private static func look(_ name: String) throws -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else { throw Failure(description: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ai_next
            if let address = address(entry.pointee), !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        guard let pointer = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { IPAddress(bytes: Array($0)) }
            }
        case AF_INET6:
            return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { IPAddress(bytes: Array($0)) }
            }
        default: return nil
        }
    }
}
