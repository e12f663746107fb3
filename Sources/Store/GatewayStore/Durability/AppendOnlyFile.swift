import Reactor
import RedisClient
import TimeCore

/// Waits until Redis's append-only file has all confirmed writes (WAITAOF). It uses a connection of its own, because a
/// waiting connection is blocked. With `everysec` it waits for the next fsync, up to a second.
final class AppendOnlyFile: Sendable {
    /// The longest wait. During a slow fsync Redis delays its writes to the file by two seconds at most. After that the
    /// writes are in the file, but may not be on disk.
    private static let limit = TimeInterval.milliseconds(2500)

    /// WAITAOF covers only the writes of its own connection, so a mark is written first.
    static let commands = [
        GatewayStore.commitMark,
        RedisCommand("WAITAOF", 1, 0, Int(limit.millisecondsRoundedUp)),
    ]

    /// Tests if the command exists and the user may run it. Redis answers at once.
    static let question = RedisCommand("WAITAOF", 0, 0, 1).asProbe()

    private enum Connection {
        /// Opened by the first wait, because most servers need none.
        case unopened, open(RedisClient), closed
    }

    private let redis: RedisClient
    private let connection = Locked(Connection.unopened)

    /// - Parameter redis: a client of the same server.
    init(of redis: RedisClient) {
        self.redis = redis
    }

    /// Returns true once the file has all writes that Redis confirmed before the call, and false after a timeout or
    /// error.
    func wait() async -> Bool {
        guard let client = opened() else { return false }
        let replies = await client.pipeline(AppendOnlyFile.commands)
        // Without the mark WAITAOF succeeds at once.
        guard case .success = replies[0], case .success(let reply) = replies[1] else { return false }
        return reply.array?.first?.int == 1
    }

    /// Closes the connection. Later waits return false.
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
                // Longer than the wait of WAITAOF.
                options.commandDeadline = .seconds(4)
                options.followsCluster = false
                let client = RedisClient(reactor: redis.reactor, endpoint: redis.endpoint, options: options)
                connection = .open(client)
                return client
            }
        }
    }
}
