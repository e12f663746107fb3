/// How a private Redis server is run.
public struct RedisServerOptions: Sendable {
    /// What outlives the server.
    public enum Persistence: Sendable {
        /// Everything is gone when the server ends.
        case none
        /// The append-only file, on disk before anything is answered: what was answered survives the end of the process
        /// and, as far as the disk keeps its word, of the machine.
        case appendOnly
    }

    /// What outlives the server.
    public var persistence = Persistence.none
    /// Listen on a free port of 127.0.0.1 as well as on the unix socket.
    public var listensOnTCP = false
    /// What it speaks TLS with, on a free port of 127.0.0.1; it then serves TCP without TLS to nobody.
    public var tls: TLS?
    /// Which `redis-server` to run: a path, or a name to be looked up in `PATH`.
    public var executable = "redis-server"
    /// More options of redis-server, as on its command line: `["--requirepass", "secret"]`.
    public var arguments: [String] = []

    /// The PEM files of a server that speaks TLS.
    public struct TLS: Equatable, Sendable {
        /// The certificate that it shows to clients and other nodes.
        public var certificateFile: String
        /// The key of that certificate.
        public var keyFile: String
        /// The roots that the certificates of clients and of other nodes lead to, and this one's.
        public var caFile: String
        /// Whether clients must show a certificate.
        public var demandsCertificates = false

        public init(certificateFile: String, keyFile: String, caFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.caFile = caFile
        }
    }

    /// A node of a cluster: after how many milliseconds of silence another node takes it for failed.
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
            // So that replicas are in sync at once, and the other nodes hear of it: a replica that has received nothing
            // is not named to clients.
            "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
        ]
    }
}
