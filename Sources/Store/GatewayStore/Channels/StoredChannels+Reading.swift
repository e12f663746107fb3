import Delivery
import LiveActivity
import RedisClient
public import TimeCore

extension StoredChannels {
    /// The numbers of channels.
    public func counts() async throws(StoreError) -> ChannelCounts {
        let replies = try await values([
            RedisCommand("ZCARD", keys.pool), RedisCommand("HLEN", keys.used), RedisCommand("ZCARD", keys.doomed),
            RedisCommand("ZCARD", keys.strangers), RedisCommand("HGET", keys.listing, "lost"),
            RedisCommand("HGET", keys.listing, "count"),
        ])
        let numbers = replies.map { $0.int.map { Int(clamping: $0) } }
        var counts = ChannelCounts()
        counts.pool = numbers[0] ?? 0
        counts.used = numbers[1] ?? 0
        counts.doomed = numbers[2] ?? 0
        counts.strangers = numbers[3] ?? 0
        counts.lost = numbers[4] ?? 0
        counts.listed = numbers[5]
        return counts
    }

    /// Returns some of the channels of activities from a cursor on, and the next cursor, `0` after the last. A channel
    /// may come twice. One that is there all the time comes at least once.
    public func taken(
        from cursor: String, limit: Int
    ) async throws(StoreError) -> (channels: [TakenChannel], next: String) {
        let reply = try await value(RedisCommand("HSCAN", keys.used, cursor, "COUNT", limit)).array ?? []
        let fields = reply.count == 2 ? reply[1].fields : []
        let channels = fields.compactMap {
            TakenChannel(String(decoding: $0.0, as: UTF8.self), String(decoding: $0.1, as: UTF8.self))
        }
        return (channels, reply.first?.string ?? "0")
    }

    /// The states of the activities of these channels, in the same order.
    public func takers(of channels: [TakenChannel]) async throws(StoreError) -> [ChannelTaker] {
        let replies = try await values(
            channels.flatMap {
                [
                    RedisCommand("HMGET", Keys.activity($0.activity), "state", "ended_at", "channels"),
                    RedisCommand("EXISTS", Keys.openBroadcasts($0.activity)),
                ]
            })
        return channels.enumerated().map { place, channel in
            ChannelTaker(channel, replies[2 * place].array ?? [], isBusy: replies[2 * place + 1].int == 1)
        }
    }

    /// All known channels with the time since which they are known.
    public func known() async throws(StoreError) -> [String: WallTime] {
        let replies = try await values([
            RedisCommand("ZRANGE", keys.pool, 0, -1, "WITHSCORES"), RedisCommand("HGETALL", keys.used),
            // The age of doomed channels is not recorded, because they are old enough.
            RedisCommand("ZRANGE", keys.doomed, 0, -1),
        ])
        var known: [String: WallTime] = [:]
        for (name, score) in replies[0].fields {
            let time = Int64(String(decoding: score, as: UTF8.self)) ?? 0
            known[String(decoding: name, as: UTF8.self)] = WallTime(milliseconds: time)
        }
        for (name, text) in replies[1].fields {
            let channel = String(decoding: name, as: UTF8.self)
            let taken = TakenChannel(channel, String(decoding: text, as: UTF8.self))
            known[channel] = taken?.takenAt ?? WallTime(milliseconds: 0)
        }
        for channel in replies[2].array ?? [] {
            if let channel = channel.string { known[channel] = WallTime(milliseconds: 0) }
        }
        return known
    }

    /// Records the result of a list from the provider.
    /// - Parameters:
    /// - count: The number of all its channels.
    /// - strangers: The channels that only the provider knows. At most 10,000 are recorded.
    public func noteListing(count: Int, strangers: [String]) async throws(StoreError) {
        _ = try await run(
            Scripts.noteStrangers(
                strangers: keys.strangers, listing: keys.listing, now: wallClock().milliseconds, count: count,
                channels: Array(strangers.prefix(Self.maximumStrangers))))
    }

    private static let maximumStrangers = 10_000

    /// Returns some of the channels that only the provider knows and that were first seen at least this long ago.
    public func strangers(olderThan age: TimeInterval, limit: Int) async throws(StoreError) -> [String] {
        let latest = wallClock().milliseconds - Int64(clamping: age.millisecondsRoundedUp)
        return try await value(
            RedisCommand("ZRANGEBYSCORE", keys.strangers, "-inf", String(latest), "LIMIT", 0, limit)
        ).array?.compactMap(\.string) ?? []
    }
}

extension ChannelTaker {
    /// - Parameters:
    /// - values: The state, the time of the end and the channels, from the activity's hash.
    /// - isBusy: True if one of its broadcasts has not ended, for example an end that waits for the provider.
    fileprivate init(_ taken: TakenChannel, _ values: [RedisValue], isBusy: Bool) {
        guard values.count == 3, let state = values[0].int.flatMap({ Activity.State(rawValue: UInt8(clamping: $0)) })
        else {
            self = .gone
            return
        }
        let channels = Channels(values[2].string)
        let namesChannel = channels.kinds.contains { channels[$0] == taken.channel }
        if state == .dead, !isBusy || !namesChannel {
            self = .ended(values[1].int.map(WallTime.init(milliseconds:)) ?? taken.takenAt, namesChannel: namesChannel)
        } else {
            self = .alive(namesChannel: namesChannel)
        }
    }
}
