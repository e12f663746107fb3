/// The cause of a failed connection, read from the words of its reason. Pure.
public enum ConnectionCause: CaseIterable, Sendable {
    /// The name of the host has no address.
    case unresolved
    /// No program listens at the port.
    case refused
    /// The path of the socket does not exist.
    case noSocket
    /// The certificate of the server has expired, or is not valid yet.
    case expired
    /// The certificate of the server is for another host name.
    case wrongName
    /// The certificate of the server is not trusted.
    case untrusted
    /// The server requires a client certificate, or does not trust the one that it got.
    case clientCertificate
    /// The server speaks TLS and the client does not, or the other way round.
    case encryption
    /// User and password are missing or wrong.
    case signIn
    /// Another program than the expected one answers.
    case otherProgram
    /// The proxy did not open a tunnel.
    case proxy
    /// The database does not exist on the server.
    case database
    /// The server is loading its data.
    case loading
    /// The server does not answer at all.
    case silent
    case other

    /// The first row with a word of the reason counts.
    private static let words: [(cause: ConnectionCause, words: [String])] = [
        (.unresolved, ["cannot resolve"]),
        (.proxy, ["the proxy did not open a tunnel"]),
        (.expired, ["certificate has expired", "certificate is not yet valid"]),
        (.wrongName, ["IP address mismatch", "hostname mismatch"]),
        (.untrusted, ["certificate verify failed", "certificate is not trusted"]),
        (.clientCertificate, ["certificate required", "alert unknown ca", "alert bad certificate"]),
        (.signIn, ["NOAUTH", "WRONGPASS", "refused the sign-in"]),
        (.database, ["refused the database"]),
        (.loading, ["LOADING"]),
        (.otherProgram, ["Protocol error", "something else than PONG", "does not speak the protocol"]),
        (
            .encryption,
            ["answers in TLS", "does not answer in TLS", "wrong version number", "before the server sent a reply"]
        ),
        (.refused, ["Connection refused"]),
        (.noSocket, ["No such file or directory"]),
        (
            .silent,
            ["no connection within", "no connection to", "timed out", "did not answer", "in time", "unreachable"]
        ),
    ]

    /// Finds the cause in an error's text.
    public init(_ reason: String) {
        self = ConnectionCause.words.first { $0.words.contains(where: reason.contains) }?.cause ?? .other
    }

    /// True if the same attempt can succeed a moment later.
    var mayPass: Bool { [.loading, .silent, .other].contains(self) }

    /// Advice for a Redis that cannot be used.
    public var remedyForRedis: String {
        switch self {
        case .unresolved: "correct the host in redis.url, or the DNS of this machine"
        case .refused: "start Redis there, or correct host and port in redis.url: no program listens on that port"
        case .noSocket: "start Redis, or correct the socket's path in redis.url: the file does not exist"
        case .expired: "renew the certificate of Redis, or correct the clock of this machine"
        case .wrongName: "use a host name from the certificate in redis.url, or issue a certificate for the present one"
        case .untrusted: "name the authority of the server's certificate in redis.ca_file"
        case .clientCertificate: "set redis.certificate_file and redis.key_file to a certificate that Redis trusts"
        case .encryption:
            "use rediss:// in redis.url if the server speaks TLS on that port, otherwise redis://; if it is not Redis, "
                + "correct host and port"
        case .signIn: "set user and password in redis.url: redis://USER:PASSWORD@HOST:PORT"
        case .otherProgram: "correct host and port in redis.url: another program answers there"
        case .database: "name an existing database in redis.url (databases in redis.conf)"
        case .loading: "wait until Redis has loaded its data; `redis-cli info persistence` shows the progress"
        case .silent, .proxy: "allow this machine in the firewall of Redis; if it is allowed, check whether Redis hangs"
        case .other: "see the log of Redis, and check redis.url"
        }
    }

    /// Advice for a provider that cannot be reached.
    var remedyForProvider: String {
        switch self {
        case .unresolved: "correct the DNS of this machine, or the host of the provider's URL"
        case .refused, .noSocket:
            "correct host and port of the provider's URL (apns.url, fcm.url), or of the proxy if one is set "
                + "(apns.proxy, fcm.proxy): no program listens on that port"
        case .expired: "correct the clock of this machine; if a proxy inspects TLS, renew its certificate"
        case .wrongName: "use a host name from the certificate in the provider's URL (apns.url, fcm.url)"
        case .untrusted:
            "install the system's root certificates (ca-certificates); if a proxy inspects TLS, name its authority in "
                + "apns.ca_file or fcm.ca_file"
        case .encryption, .otherProgram, .clientCertificate, .signIn, .database, .loading:
            "correct host and port of the provider's URL: the server there does not speak HTTP/2 over TLS"
        case .proxy:
            "correct address, user and password in apns.proxy or fcm.proxy, or have the proxy allow CONNECT to the "
                + "provider"
        case .silent:
            "allow the provider's port in the firewall (apns.url, fcm.url), or set apns.proxy or fcm.proxy; if the "
                + "port is open, use one that speaks TLS"
        case .other: "check the network between this machine and the provider, and apns.proxy or fcm.proxy"
        }
    }
}
