import Delivery
public import LiveActivity
import RedisClient
public import TimeCore

/// The broadcast channels of an app in one environment: those ready, those of activities, and those to be deleted. All
/// gateways share them. From any thread.
public final class StoredChannels: StoreFeature {
    let context: StoreContext
    let keys: ChannelKeys

    /// - Parameters:
    ///   - bundleIdentifier: The app of the channels.
    ///   - environment: The provider's environment.
    public init(_ store: GatewayStore, bundleIdentifier: String, environment: Device.Environment) {
        context = store.context
        keys = Keys.channels(bundleIdentifier, environment.rawValue)
    }

    private var now: Int64 { wallClock().milliseconds }

    // MARK: Taking

    /// Assigns a ready channel to an activity, or returns the one that it has. Nil if none is ready.
    /// - Parameters:
    ///   - environment: The environment of the devices that will follow it.
    ///   - storesNewest: True if the provider must keep its newest message.
    public func take(
        for activity: UniqueID, environment: Device.Environment, storesNewest: Bool
    ) async throws(StoreError) -> String? {
        let taker = TakenChannel.taker(activity, environment, storesNewest: storesNewest)
        return try await run(
            Scripts.takeChannel, [keys.pool, keys.used, keys.takers], [taker, storesNewest ? 1 : 0, String(now)]
        ).string
    }

    // MARK: Making

    /// Records that a channel is about to be created. False if all gateways together are creating too many.
    public func beginCreation(_ intent: UniqueID) async throws(StoreError) -> Bool {
        let now = now
        let since = now - Int64(clamping: Self.creationTime.millisecondsRoundedUp)
        return try await run(
            Scripts.beginChannel, [keys.intents, keys.listing],
            [intent.description, String(now), String(since), Self.creations]
        ).int == 1
    }

    /// No channel was made, and that is known.
    public func cancelCreation(_ intent: UniqueID) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", keys.intents, intent.description))
    }

    /// Records a channel that was made, for an activity or for the pool. May be done again.
    /// - Returns: the channel that the activity has: another one when it has got one meanwhile.
    public func put(
        _ channel: String, of intent: UniqueID,
        for activity: (id: UniqueID, environment: Device.Environment, storesNewest: Bool)?
    ) async throws(StoreError) -> String {
        let taker = activity.map { TakenChannel.taker($0.id, $0.environment, storesNewest: $0.storesNewest) } ?? ""
        return try await run(
            Scripts.putChannel,
            [keys.pool, keys.used, keys.takers, keys.doomed, keys.intents, keys.strangers],
            [channel, intent.description, taker, activity?.storesNewest ?? true ? 1 : 0, String(now)]
        ).string ?? channel
    }

    /// A creation is over by then, one way or the other.
    static let creationTime = TimeInterval.seconds(60)
    /// Creations under way at the same time.
    static let creations = 16

    // MARK: Giving back

    /// Takes a channel from its activity, to be deleted at a time; false when it was taken anew since it was read.
    public func doom(_ taken: TakenChannel, at time: WallTime) async throws(StoreError) -> Bool {
        try await run(
            Scripts.doomChannel, [keys.used, keys.takers, keys.doomed],
            [taken.channel, taken.taker, String(taken.takenAt.milliseconds), String(time.milliseconds)]
        ).int == 1
    }

    /// Some of the channels whose time has come to be deleted, the oldest first.
    public func due(limit: Int) async throws(StoreError) -> [String] {
        try await value(
            RedisCommand("ZRANGEBYSCORE", keys.doomed, "-inf", String(now), "LIMIT", 0, limit)
        ).array?.compactMap(\.string) ?? []
    }

    /// Forgets channels that the provider has deleted, and removes them from their activities.
    /// - Returns: the channels that activities had, in no order.
    @discardableResult
    public func forget(_ channels: [String]) async throws(StoreError) -> [TakenChannel] {
        guard !channels.isEmpty else { return [] }
        let texts = try await value(RedisCommand("HMGET", arguments: [keys.used] + channels)).array ?? []
        var dropped: [TakenChannel] = []
        for (channel, text) in zip(channels, texts) {
            guard let taken = text.string.flatMap({ TakenChannel(channel, $0) }),
                try await run(Scripts.dropChannel, [Keys.activity(taken.activity)], [channel]).int == 1
            else { continue }
            dropped.append(taken)
        }
        _ = try await run(
            Scripts.forgetChannels, [keys.pool, keys.used, keys.takers, keys.doomed, keys.strangers], channels)
        return dropped
    }

    /// Has a channel that could not be deleted tried again at a time.
    public func postpone(_ channel: String, to time: WallTime) async throws(StoreError) {
        let score = String(time.milliseconds)
        _ = try await values([
            RedisCommand("ZADD", keys.doomed, "XX", score, channel),
            RedisCommand("ZADD", keys.strangers, "XX", score, channel),
        ])
    }

    // MARK: Keeping

    /// Takes or renews the lease on keeping these channels; false when it is another one's.
    public func lease(_ holder: UniqueID, for time: TimeInterval) async throws(StoreError) -> Bool {
        try await run(
            Scripts.leaseChannels, [keys.lease], [holder.description, String(max(1, time.millisecondsRoundedUp))]
        ).int == 1
    }

    /// Gives the lease back, if it is the holder's.
    public func returnLease(_ holder: UniqueID) async throws(StoreError) {
        _ = try await run(Scripts.leaseChannels, [keys.lease], [holder.description, "0"])
    }
}
