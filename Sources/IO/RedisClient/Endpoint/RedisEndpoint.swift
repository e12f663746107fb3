import Encodings

/// The address and credentials of a Redis server. Its descriptions never contain the password.
public struct RedisEndpoint: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The address at which a server listens.
    public enum Location: Equatable, Sendable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    /// The address of the server.
    public var location: Location
    /// The TLS files; nil for unencrypted connections.
    public var tls: RedisTLS?
    /// Further host names that are valid in a server's certificate. They are the configured hosts, for a node whose
    /// address came from the cluster.
    var trustedNames: [String] = []
    /// Other addresses of the same server or cluster, tried in order if the first is unreachable.
    public var seeds: [Location] = []
    /// The name of the primary in Redis Sentinel. Location and seeds are then sentinels, which the client queries for
    /// the primary's address. Nil if they are servers.
    public var sentinelName: String?
    /// The user; nil for Redis's default user.
    public var user: String?
    /// The password; nil to connect without authentication.
    public var password: String?
    /// The number of the database; a cluster has only 0.
    public var database: Int

    public init(location: Location, user: String? = nil, password: String? = nil, database: Int = 0) {
        self.location = location
        self.user = user
        self.password = password
        self.database = database
    }

    /// Parses `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS, or `unix:///path[?db=n]`. User and
    /// password may be percent-encoded; an IPv6 address needs brackets. Several of these, separated by commas, are
    /// nodes of one cluster, or a primary and its replicas. All use TLS or none; user, password and database of the
    /// first apply to all. `redis+sentinel://[user:password@]host[:port][,host[:port]…]/name[/db]` names sentinels.
    public init(url: String) throws(RedisEndpointError) {
        self = try RedisURL.parseAll(url)
    }

    public var description: String {
        switch location {
        case .tcp(let host, let port):
            let scheme = (tls == nil ? "redis" : "rediss") + (sentinelName == nil ? "" : "+sentinel")
            return "\(scheme)://\(Authority(host: host, port: port))" + (sentinelName.map { "/\($0)" } ?? "")
                + (database == 0 ? "" : "/\(database)")
        case .unix(let path):
            return "unix://\(path)" + (database == 0 ? "" : "?db=\(database)")
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["description": description])
    }
}

/// The error in an endpoint's text. It never contains the text, which may have a password.
public struct RedisEndpointError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error, as the end of a sentence.
    public let reason: String

    public var description: String {
        "not a Redis endpoint: \(reason). Supported are redis://[user:password@]host[:port][/db], rediss:// for "
            + "the same over TLS, redis+sentinel://host[:port]/name for Sentinel, and unix:///path/to/socket[?db=n], and for a "
            + "cluster several of them separated by commas"
    }
}
