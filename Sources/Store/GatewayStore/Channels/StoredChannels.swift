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
            Scripts.takeChannel(
                pool: keys.pool, used: keys.used, takers: keys.takers, taker: taker, keeps: storesNewest ? 1 : 0,
                now: now))
    }

    // MARK: Making

    /// Records that a channel is about to be created. False if all gateways together are creating too many.
    public func beginCreation(_ intent: UniqueID) async throws(StoreError) -> Bool {
        let now = now
        let since = now - Int64(clamping: Self.creationTime.millisecondsRoundedUp)
        return try await run(
            Scripts.beginChannel(
                intents: keys.intents, listing: keys.listing, intent: intent.description, now: now, since: since,
                limit: Self.creations))
    }

    /// Withdraws the record of a creation that surely made no channel.
    public func cancelCreation(_ intent: UniqueID) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", keys.intents, intent.description))
    }

    /// Records a new channel for an activity or for the pool. Idempotent.
    /// - Returns: The channel of the activity, which is another one if the activity got that meanwhile.
    public func put(
        _ channel: String, of intent: UniqueID,
        for activity: (id: UniqueID, environment: Device.Environment, storesNewest: Bool)?
    ) async throws(StoreError) -> String {
        let taker = activity.map { TakenChannel.taker($0.id, $0.environment, storesNewest: $0.storesNewest) } ?? ""
        return try await run(
            Scripts.putChannel(
                pool: keys.pool, used: keys.used, takers: keys.takers, doomed: keys.doomed, intents: keys.intents,
                strangers: keys.strangers, channel: channel, intent: intent.description, taker: taker,
                keeps: activity?.storesNewest ?? true ? 1 : 0, now: now))
    }

    /// The time after which a creation without a result counts as lost.
    static let creationTime = TimeInterval.seconds(60)
    /// The most creations at the same time.
    static let creations = 16

    // MARK: Giving back

    /// Takes a channel from its activity, to be deleted at a time. Returns false if it was taken anew meanwhile.
    public func doom(_ taken: TakenChannel, at time: WallTime) async throws(StoreError) -> Bool {
        try await run(
            Scripts.doomChannel(
                used: keys.used, takers: keys.takers, doomed: keys.doomed, channel: taken.channel, taker: taken.taker,
                takenAt: taken.takenAt.milliseconds, at: time.milliseconds))
    }

    /// Returns some of the channels that are due to be deleted, the oldest first.
    public func due(limit: Int) async throws(StoreError) -> [String] {
        try await value(
            RedisCommand("ZRANGEBYSCORE", keys.doomed, "-inf", String(now), "LIMIT", 0, limit)
        ).array?.compactMap(\.string) ?? []
    }

    /// Deletes the records of channels that the provider has deleted, and removes them from their activities.
    /// - Returns: The channels that activities had, in no order.
    @discardableResult
    public func forget(_ channels: [String]) async throws(StoreError) -> [TakenChannel] {
        guard !channels.isEmpty else { return [] }
        let texts = try await value(RedisCommand("HMGET", arguments: [keys.used] + channels)).array ?? []
        var dropped: [TakenChannel] = []
        for (channel, text) in zip(channels, texts) {
            guard let taken = text.string.flatMap({ TakenChannel(channel, $0) }),
                try await run(Scripts.dropChannel(activity: Keys.activity(taken.activity), channel: channel))
            else { continue }
            dropped.append(taken)
        }
        _ = try await run(
            Scripts.forgetChannels(
                pool: keys.pool, used: keys.used, takers: keys.takers, doomed: keys.doomed, strangers: keys.strangers,
                channels: channels))
        return dropped
    }

    /// Sets the time of the next try to delete a channel.
    public func postpone(_ channel: String, to time: WallTime) async throws(StoreError) {
        let score = String(time.milliseconds)
        _ = try await values([
            RedisCommand("ZADD", keys.doomed, "XX", score, channel),
            RedisCommand("ZADD", keys.strangers, "XX", score, channel),
        ])
    }

    // MARK: Keeping

    /// Acquires or renews the lease on the maintenance of these channels. Returns false if another gateway has it.
    public func lease(_ holder: UniqueID, for time: TimeInterval) async throws(StoreError) -> Bool {
        try await run(Lease.hold(keys.lease, as: holder.description, for: time))
    }

    /// Releases the lease if the holder has it.
    public func returnLease(_ holder: UniqueID) async throws(StoreError) {
        _ = try await run(Lease.giveBack(keys.lease, as: holder.description))
    }
}
