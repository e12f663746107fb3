import Encodings

/// Where a node of a cluster serves its clients.
struct ClusterAddress: Hashable, CustomStringConvertible {
    let host: String
    let port: UInt16

    var description: String { Authority(host: host, port: port).description }

    var location: RedisEndpoint.Location { .tcp(host: host, port: port) }

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// As redirections spell it: `host:port`, with nothing before the colon for a host that is not known.
    /// - Parameter asked: the host of the node that said so.
    init?(_ text: Substring, asked: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.init(host: host.isEmpty || host == "?" ? asked : String(host), port: port)
    }
}

extension RedisEndpoint {
    /// What a node that does not know its own address is reached by.
    var host: String {
        switch location {
        case .tcp(let host, _): host
        case .unix: "127.0.0.1"
        }
    }

    /// Another node of the same cluster: the sign-in is the same, and so is whether TLS is spoken.
    func node(_ location: Location) -> RedisEndpoint {
        var other = self
        if trustedNames.isEmpty {
            for case .tcp(let host, _) in [self.location] + seeds where !other.trustedNames.contains(host) {
                other.trustedNames.append(host)
            }
        }
        other.location = location
        other.seeds = []
        // A cluster has no other database.
        other.database = 0
        return other
    }
}
