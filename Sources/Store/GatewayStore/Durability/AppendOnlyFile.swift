import Reactor
import RedisClient
import TimeCore

/// Asks Redis when its append-only file has what it has answered (WAITAOF), over a connection of its own: on one that
/// waits Redis carries out nothing else, and with `everysec` it waits up to a second for the next fsync.
final class AppendOnlyFile: Sendable {
    /// While an fsync takes long Redis puts off its writes to the file for two seconds at most: whoever has waited for
    /// longer is in the file, though the disk may not have it yet.
    private static let limit = TimeInterval.milliseconds(2500)

    /// WAITAOF is for what its own connection has written before. So something is, after all that was answered
    /// elsewhere.
    static let commands = [
        GatewayStore.commitMark,
        RedisCommand("WAITAOF", 1, 0, Int(limit.millisecondsRoundedUp)),
    ]

    /// Answers at once where the command exists and the user may run it.
    static let question = RedisCommand("WAITAOF", 0, 0, 1).asProbe()

    private enum Connection {
        /// Opened when somebody waits for the first time: most servers are never asked.
        case unopened, open(RedisClient), closed
    }

    private let redis: RedisClient
    private let connection = Locked(Connection.unopened)

    /// - Parameter redis: a client of the same server.
    init(of redis: RedisClient) {
        self.redis = redis
    }

    /// True when the file has all that Redis had answered before the call; false when it did not say so in time.
    func wait() async -> Bool {
        guard let client = opened() else { return false }
        let replies = await client.pipeline(AppendOnlyFile.commands)
        // Without the mark there is nothing to wait for, and WAITAOF says yes.
        guard case .success = replies[0], case .success(let reply) = replies[1] else { return false }
        return reply.array?.first?.int == 1
    }

    /// Closes the connection; then nothing is waited for any more.
    func shutdown() async {
        let client = connection.withLock { connection -> RedisClient? in
            defer { connection = .closed }
            if case .open(let client) = connection { return client }
            return nil
        }
        await client?.shutdown()
    }

    private func opened() -> RedisClient? {
        connection.withLock { connection -> RedisClient? in
            switch connection {
            case .closed: return nil
            case .open(let client): return client
            case .unopened:
                var options = RedisClientOptions()
                // Beyond what WAITAOF is told to take.
                options.commandDeadline = .seconds(4)
                options.followsCluster = false
                let client = RedisClient(reactor: redis.reactor, endpoint: redis.endpoint, options: options)
                connection = .open(client)
                return client
            }
        }
    }
}
