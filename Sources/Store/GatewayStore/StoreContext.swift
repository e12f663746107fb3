import LiveActivity
import Reactor
import RedisClient
import Synchronization
import TimeCore

/// The resources that all features of the store share: Redis, the time, and settings.
final class StoreContext: Sendable {
    let redis: RedisClient
    let wallClock: @Sendable () -> WallTime
    let clockBounds: @Sendable () -> ClockBounds
    /// True if the store has a layout that this version cannot read. From any thread.
    let hasUnsupportedLayout = Atomic(false)
    let rules: StoreRules
    /// The sealer of content; nil keeps content unsealed.
    var sealer: ContentSealer? { sealerNow.withLock { $0 } }
    let sealerNow: Locked<ContentSealer?>
    /// The sealer of identity secrets; nil if they can be neither made nor read.
    let identity: IdentitySecrets?
    /// Holds starts back until the append-only file has them.
    let commits: GroupCommit
    /// The shards with new jobs or due items.
    let jobNews: NewsBoard
    let dueTimes: DueTimes
    /// The tenants with new events to deliver.
    let webhookNews: NewsBoard

    /// The age in milliseconds up to which a report may make a user, for scripts; empty for any age.
    var reportLife: String { rules.reportLife.map { "\($0.millisecondsRoundedUp)" } ?? "" }

    /// The longest wait for a replica, in a cluster, of a write that must survive the loss of a master.
    static let replication = TimeInterval.milliseconds(200)

    /// The most commands in one piece of a call. They delay other calls by some milliseconds.
    static let commandsInPiece = 200
    /// The number of commands under way of a long row whose replies are read in place.
    static let commandsInWindow = 100
    /// The most bytes in one piece, unless it is a single command.
    static let bytesInPiece = 1 << 20

    /// The number of commands in the next piece, by their bytes.
    static func pieceLength(of bytes: some Sequence<Int>) -> Int {
        var (count, total) = (0, 0)
        for size in bytes {
            total += size
            guard count == 0 || count < commandsInPiece && total <= bytesInPiece else { break }
            count += 1
        }
        return count
    }

    init(
        redis: RedisClient, wallClock: @escaping @Sendable () -> WallTime,
        clockBounds: @escaping @Sendable () -> ClockBounds, rules: StoreRules, sealer: ContentSealer?,
        identity: IdentitySecrets?, commits: GroupCommit
    ) {
        self.redis = redis
        self.wallClock = wallClock
        self.clockBounds = clockBounds
        self.rules = rules
        sealerNow = Locked(sealer)
        self.identity = identity
        self.commits = commits
        jobNews = NewsBoard(redis, key: Keys.jobNews, places: Int(Keys.shards))
        dueTimes = DueTimes(jobNews, wallClock: wallClock)
        webhookNews = NewsBoard(redis, key: Keys.webhookNews, places: StoredWebhooks.newsPlaces)
    }
}

/// A part of the store with its own keys, records and scripts. It knows the features that it is given, and no others.
///
/// Async methods may be called from any thread; those that take a completion belong to the reactor of `redis`.
protocol StoreFeature: Sendable {
    var context: StoreContext { get }
}

extension StoreFeature {
    var redis: RedisClient { context.redis }
    var wallClock: @Sendable () -> WallTime { context.wallClock }

    func value(_ command: RedisCommand) async throws(StoreError) -> RedisValue {
        try StoreError.unwrap(await redis.call(command))
    }

    /// Returns all replies, or throws the first error. A long row of commands goes in pieces. Each piece waits for the
    /// replies to the last one, so that other calls come between. An error ends the row.
    func values(_ commands: [RedisCommand]) async throws(StoreError) -> [RedisValue] {
        var values: [RedisValue] = []
        values.reserveCapacity(commands.count)
        var rest = commands[...]
        while !rest.isEmpty {
            let count = StoreContext.pieceLength(of: rest.lazy.map(\.encoded.count))
            for result in await redis.pipeline(Array(rest.prefix(count))) {
                values.append(try StoreError.unwrap(result))
            }
            rest = rest.dropFirst(count)
        }
        return values
    }

    /// Returns the results of `read` for all replies, or throws the first error. It suits rows of thousands of small
    /// commands. At any moment, `window` of them are under way. Each is made in its turn, and no reply is kept. Both
    /// closures run on the reactor.
    func values<Value: Sendable>(
        count: Int, window: Int = StoreContext.commandsInWindow, command: @escaping @Sendable (Int) -> RedisCommand,
        read: @escaping @Sendable (Int, RedisReplyView) -> Value
    ) async throws(StoreError) -> [Value] {
        let gathered = Gathered<Value>(count)
        let error = await redis.pipeline(
            count, window: window, command: command, read: { gathered.values[$0] = read($0, $1) })
        if let error { throw StoreError(error) }
        return gathered.values.compactMap(\.self)
    }

    /// Runs calls of the store, and passes the result to `body` on the reactor.
    /// - Parameter ifStopped: Called on any thread in place of `body` if the reactor has stopped.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(StoreError) -> Value,
        then body: @escaping (Result<Value, StoreError>) -> Void, ifStopped: @escaping () -> Void = {}
    ) {
        // Confined to the reactor: it is called there.
        nonisolated(unsafe) let (body, ifStopped) = (body, ifStopped)
        Task {
            let result: Result<Value, StoreError>
            do throws(StoreError) { result = .success(try await work()) } catch { result = .failure(error) }
            if !redis.reactor.execute({ body(result) }) { ifStopped() }
        }
    }

    // MARK: What is due

    /// The due queue of an activity's shard.
    func dueQueue(_ activity: UniqueID) -> String { Keys.due(Keys.shard(activity)) }

    /// Records a due time of a shard (epoch ms) for this gateway and, if it is near, for the others. Call it after the
    /// write.
    func noteDue(_ shard: Int, at time: Int64) { context.dueTimes.note(shard, at: time) }

    /// The next due time of an activity, in epoch ms.
    func nextDue(_ activity: Activity) -> Int64 {
        Lifecycle.nextEnd(of: activity, lifetime: context.rules.lifetime).milliseconds
    }
}

/// The results of a row of replies.
///
/// `@unchecked Sendable`: guarded by the row's end. Only the reactor uses it before, and only the waiting caller after.
private final class Gathered<Value>: @unchecked Sendable {
    var values: [Value?]

    init(_ count: Int) {
        values = Array(repeating: nil, count: count)
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
