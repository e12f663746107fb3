import Encodings

/// Where a Redis server is and how to sign in to it. Its descriptions never show the password.
public struct RedisEndpoint: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Where a server listens.
    public enum Location: Equatable, Sendable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    /// Where the server is.
    public var location: Location
    /// What TLS is spoken with; nil for connections that are not encrypted.
    public var tls: RedisTLS?
    /// Hosts that a server's certificate may be for in place of its own: those that were configured, for a node that
    /// only the cluster has named.
    var trustedNames: [String] = []
    /// Other places of the same server or cluster, tried in turn when the first is not reachable.
    public var seeds: [Location] = []
    /// The name that Redis Sentinel has for the primary. Location and seeds are then sentinels, which the client asks
    /// for the primary's address. Nil if they are servers.
    public var sentinelName: String?
    /// Nil signs in as Redis's default user.
    public var user: String?
    /// Nil signs in without one.
    public var password: String?
    /// The number of the database; a cluster has only 0.
    public var database: Int

    public init(location: Location, user: String? = nil, password: String? = nil, database: Int = 0) {
        self.location = location
        self.user = user
        self.password = password
        self.database = database
    }

    /// Parses `redis://[user:password@]host[:port][/db]`, the same with `rediss://` for TLS, or `unix:///path[?db=n]`.
    /// User and password may be percent-encoded; an IPv6 address stands in brackets. Several of these, separated by
    /// commas, are nodes of one cluster, or a primary and its replicas. All use TLS or none; user, password and
    /// database of the first count for all. `redis+sentinel://[user:password@]host[:port][,host[:port]…]/name[/db]`
    /// names sentinels.
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

/// Why a text is no endpoint. Never repeats the text itself, which may hold a password.
public struct RedisEndpointError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, as the end of a sentence.
    public let reason: String

    public var description: String {
        "not a Redis endpoint: \(reason). Supported are redis://[user:password@]host[:port][/db], rediss:// for "
            + "the same over TLS, redis+sentinel://host[:port]/name for Sentinel, and unix:///path/to/socket[?db=n], and for a "
            + "cluster several of them separated by commas"
    }
}
