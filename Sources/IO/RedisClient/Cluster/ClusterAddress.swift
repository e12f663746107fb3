import Encodings

/// The address of a cluster node for its clients.
struct ClusterAddress: Hashable, CustomStringConvertible {
    let host: String
    let port: UInt16

    var description: String { Authority(host: host, port: port).description }

    var location: RedisEndpoint.Location { .tcp(host: host, port: port) }

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses a redirection's `host:port`. An unknown host is empty or `?`.
    /// - Parameter asked: The host of the node that replied.
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
    /// The host for a node that does not report its own address.
    var host: String {
        switch location {
        case .tcp(let host, _): host
        case .unix: "127.0.0.1"
        }
    }

    /// Another node of the same cluster, with the same credentials and TLS settings.
    func node(_ location: Location) -> RedisEndpoint {
        var other = self
        if trustedNames.isEmpty {
            for case .tcp(let host, _) in [self.location] + seeds where !other.trustedNames.contains(host) {
                other.trustedNames.append(host)
            }
        }
        other.location = location
        other.seeds = []
        // A cluster has only database 0.
        other.database = 0
        return other
    }
}
