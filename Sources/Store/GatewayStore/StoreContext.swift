import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// What every feature of the store works with: Redis, the time, and the settings that they share.
final class StoreContext: Sendable {
    let redis: RedisClient
    let wallClock: @Sendable () -> WallTime
    let clockBounds: @Sendable () -> ClockBounds
    let layout: WrittenLayout
    /// What an activity that is made may be called.
    let drawActivityID: @Sendable () -> UniqueID
    let lifetime: TimeInterval?
    let minimumInterval: TimeInterval
    /// How many updates an hour an activity's whole segment gets with priority 10 unless they say so; 0 for any number.
    let updateBudget: Int
    /// How many Live Activities a device may have for a start to be sent to it; 0 for any number.
    let maximumPerDevice: Int
    /// Nil: content is kept in clear.
    var sealer: ContentSealer? { sealerNow.withLock { $0 } }
    let sealerNow: Locked<ContentSealer?>
    /// Nil: identity secrets can be neither made nor, where they are sealed, read.
    let identity: IdentitySecrets?
    let eventLimits: EventLimits
    /// For how many milliseconds after it was taken a report may make somebody, for scripts; empty for any time.
    let reportLife: String
    /// Holds starts back until the append-only file has them.
    let commits: GroupCommit
    /// In which shards there is something new.
    let jobNews: NewsBoard
    let dueTimes: DueTimes
    /// For whom there are new events to deliver.
    let webhookNews: NewsBoard

    /// How long a write that must survive the loss of a master waits for a replica, in a cluster.
    static let replication = TimeInterval.milliseconds(200)

    /// So many commands of one call are in Redis's hands at once: some milliseconds for those who come behind.
    static let commandsInPiece = 200
    /// Of a row that is long and whose replies are read where they lie: so many, at any moment until its end.
    static let commandsInWindow = 100
    /// And so many bytes of them, but for a single command.
    static let bytesInPiece = 1 << 20

    /// How many of a row of commands go in one piece, by their bytes.
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
        clockBounds: @escaping @Sendable () -> ClockBounds,
        layout: StoreLayout, drawActivityID: @escaping @Sendable () -> UniqueID, lifetime: TimeInterval?,
        minimumInterval: TimeInterval, updateBudget: Int, maximumPerDevice: Int, sealer: ContentSealer?,
        identity: IdentitySecrets?,
        eventLimits: EventLimits, reportLife: TimeInterval?,
        commits: GroupCommit
    ) {
        self.redis = redis
        self.wallClock = wallClock
        self.clockBounds = clockBounds
        self.layout = WrittenLayout(layout)
        self.drawActivityID = drawActivityID
        self.lifetime = lifetime
        self.minimumInterval = minimumInterval
        self.updateBudget = updateBudget
        self.maximumPerDevice = maximumPerDevice
        sealerNow = Locked(sealer)
        self.identity = identity
        self.eventLimits = eventLimits
        self.reportLife = reportLife.map { "\($0.millisecondsRoundedUp)" } ?? ""
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

    func run(
        _ script: RedisScript, _ keys: [String], _ arguments: [any RedisArgumentConvertible]
    ) async throws(StoreError) -> RedisValue {
        try await value(RedisCommand(script: script, keys: keys, arguments: arguments))
    }

    /// All replies, or the first error. A long row of commands goes in pieces, each behind the last one's replies, so
    /// that those of others come between; behind a piece with an error none follows.
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

    /// What is read of all replies, or the first error. For rows of thousands of small commands: `window` of them are
    /// in Redis's hands at any moment, each is made when its turn has come, and nothing of a reply is kept but what is
    /// read of it. Both closures run on the reactor.
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

    // MARK: What is due

    /// Where the things of an activity's shard wait for their time.
    func dueQueue(_ activity: UniqueID) -> String { Keys.due(Keys.shard(activity)) }

    /// Has gateways know of something that is due in a shard from a time on (epoch ms), once that is written.
    func noteDue(_ shard: Int, at time: Int64) { context.dueTimes.note(shard, at: time) }

    /// When an activity is to be looked at next, in epoch ms.
    func nextDue(_ activity: Activity) -> Int64 {
        Lifecycle.nextEnd(of: activity, lifetime: context.lifetime).milliseconds
    }
}

/// What is read of a row of replies.
///
/// `@unchecked Sendable`: guarded by the row's end, up to which the reactor alone touches it, and from then on who
/// waits.
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
