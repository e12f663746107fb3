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
    /// Which `redis-server` to run: a path, or a name to be looked up in `PATH`.
    public var executable = "redis-server"
    /// More options of redis-server, as on its command line: `["--requirepass", "secret"]`.
    public var arguments: [String] = []

    /// A node of a cluster: after how many milliseconds of silence another node takes it for failed.
    var clusterNodeTimeout: Int?

    public init() {}

    var clusterArguments: [String] {
        guard let clusterNodeTimeout else { return [] }
        return [
            "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout",
            String(clusterNodeTimeout), "--cluster-replica-validity-factor", "0",
            // So that replicas are in sync at once, and the other nodes hear of it: a replica that has received nothing is
            // not named to clients.
            "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
        ]
    }
}
