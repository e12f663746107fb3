/// The options of a private Redis server.
public struct RedisServerOptions: Sendable {
    /// The persistence of a server's data.
    public enum Persistence: Sendable {
        /// All data is lost when the server ends.
        case none
        /// The append-only file, synced to disk before each reply. Acknowledged data survives the end of the process,
        /// and of the machine if the disk honours syncs.
        case appendOnly
    }

    /// The persistence of the server's data.
    public var persistence = Persistence.none
    /// True to listen on a free port of 127.0.0.1 besides the Unix socket.
    public var listensOnTCP = false
    /// The TLS files for a free port of 127.0.0.1. TCP without TLS is then disabled.
    public var tls: TLS?
    /// The `redis-server` to run: a path, or a name in `PATH`.
    public var executable = "redis-server"
    /// Further options on the command line of redis-server: `["--requirepass", "secret"]`.
    public var arguments: [String] = []

    /// The PEM files of a TLS server.
    public struct TLS: Equatable, Sendable {
        /// The certificate for clients and other nodes.
        public var certificateFile: String
        /// The key of that certificate.
        public var keyFile: String
        /// The roots of the certificates of clients, other nodes and this server.
        public var caFile: String
        /// True if clients must present a certificate.
        public var demandsCertificates = false

        public init(certificateFile: String, keyFile: String, caFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.caFile = caFile
        }
    }

    /// The silence of a cluster node, in milliseconds, after which other nodes consider it failed.
    var clusterNodeTimeout: Int?

    public init() {}

    /// - Parameter port: 0 for none.
    func portArguments(_ port: UInt16) -> [String] {
        guard let tls else { return ["--port", String(port)] }
        return [
            "--port", "0", "--tls-port", String(port), "--tls-cert-file", tls.certificateFile, "--tls-key-file",
            tls.keyFile,
            "--tls-ca-cert-file", tls.caFile, "--tls-auth-clients", tls.demandsCertificates ? "yes" : "no",
            "--tls-replication", "yes",
        ] + (clusterNodeTimeout == nil ? [] : ["--tls-cluster", "yes"])
    }

    var clusterArguments: [String] {
        guard let clusterNodeTimeout else { return [] }
        return [
            "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout",
            String(clusterNodeTimeout), "--cluster-replica-validity-factor", "0",
            // With these, replicas synchronize immediately and other nodes learn it, because a replica that has
            // received nothing is not announced to clients.
            "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
        ]
    }
}
