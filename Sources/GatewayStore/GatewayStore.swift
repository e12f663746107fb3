public import LiveActivity
import Reactor
public import RedisClient
public import TimeCore

/// Everything that is kept, in Redis. Gateways have no state of their own, so any number of them may share one store.
///
/// Async methods may be called from any thread; those that take a completion belong to the reactor of `redis`.
public final class GatewayStore: Sendable {
    public let redis: RedisClient
    /// What is taken for now.
    public let wallClock: @Sendable () -> WallTime
    /// How far `wallClock` may be trusted.
    public let clockState: @Sendable () -> StoreClock.State
    /// How long a started activity may run before it is ended; nil for as long as its `ends_at` lets it.
    public let lifetime: TimeInterval?
    /// The least time between two updates of an activity to its whole segment, once two have left in a row; zero for none.
    public let minimumInterval: TimeInterval
    /// Nil: content is kept in clear.
    let sealer: ContentSealer?
    let eventLimits: EventLimits
    let knownActivities: KnownActivities
    let endReads = EndReads()
    let vanished = Locked(0)
    let appendOnlyFile: AppendOnlyFile
    /// Holds starts back until the file has them.
    let commits: GroupCommit

    /// - Parameters:
    ///   - wallClock: what the store takes for now; the rate limit goes by Redis's clock unless told otherwise.
    ///   - lifetime: see the property.
    ///   - minimumInterval: likewise.
    public init(
        redis: RedisClient, wallClock: @escaping @Sendable () -> WallTime = WallTime.now,
        lifetime: TimeInterval? = Lifecycle.platformLifetime, minimumInterval: TimeInterval = .zero,
        events: EventLimits = EventLimits(), sealer: ContentSealer? = nil,
        clockState: @escaping @Sendable () -> StoreClock.State = { .trusted }
    ) {
        self.clockState = clockState
        self.sealer = sealer
        self.redis = redis
        self.lifetime = lifetime
        self.minimumInterval = minimumInterval
        self.wallClock = wallClock
        eventLimits = events
        knownActivities = KnownActivities(on: redis.reactor)
        let file = AppendOnlyFile(of: redis)
        appendOnlyFile = file
        commits = GroupCommit { await file.wait() }
    }

    /// Closes what the store has opened by itself; `redis` is its owner's to close. To be called before its reactor ends.
    public func shutdown() async {
        await appendOnlyFile.shutdown()
    }

    /// How many starts were held back until Redis's append-only file had them. From any thread.
    public var commitCounts: CommitCounts { commits.counts }

    /// The scripts that the client should load whenever it connects.
    public static var scripts: [RedisScript] { Scripts.all }

    /// Answers when the store does.
    public func ping() async throws(StoreError) {
        _ = try await value(RedisCommand("PING"))
    }

    // MARK: Calls

    /// How long a write that must survive the loss of a master waits for a replica, in a cluster.
    static let replication = TimeInterval.milliseconds(200)

    func value(_ command: RedisCommand) async throws(StoreError) -> RedisValue {
        try StoreError.unwrap(await redis.call(command))
    }

    func run(
        _ script: RedisScript, _ keys: [String], _ arguments: [any RedisArgumentConvertible]
    ) async throws(StoreError) -> RedisValue {
        try await value(RedisCommand(script: script, keys: keys, arguments: arguments))
    }

    /// All replies, or the first error.
    func values(_ commands: [RedisCommand]) async throws(StoreError) -> [RedisValue] {
        var values: [RedisValue] = []
        values.reserveCapacity(commands.count)
        for result in await redis.pipeline(commands) { values.append(try StoreError.unwrap(result)) }
        return values
    }
}

extension RedisValue {
    /// The fields of a hash, as HGETALL replies them.
    var fields: [RedisField] {
        let values = array ?? []
        return stride(from: 0, to: values.count - values.count % 2, by: 2).map {
            (values[$0].bytes ?? [], values[$0 + 1].bytes ?? [])
        }
    }
}
