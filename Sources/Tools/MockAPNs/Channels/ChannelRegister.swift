import TimeCore

/// The channels of the mock's app with their followers and publishes. Pure.
struct ChannelRegister {
    /// The existing channels by identifier.
    private(set) var channels: [String: MockChannel] = [:]
    private var publishes: [String: [MockPublish]] = [:]
    private var deleted: [String: MockChannel] = [:]
    private var deletedInOrder: [String] = []
    /// The earliest due time of the next push at the allowed rate, by channel.
    private var due: [String: MonotonicTime] = [:]
    /// The number of further publishes to record.
    private var room: Int
    private static let maximumDeleted = 10_000

    /// - Parameter capacity: The maximum number of recorded publishes.
    init(capacity: Int) {
        room = capacity
    }

    /// Returns the channel, including one of the last ten thousand deleted ones.
    func channel(_ identifier: String) -> MockChannel? { channels[identifier] ?? deleted[identifier] }

    func publishes(to identifier: String) -> [MockPublish] { publishes[identifier] ?? [] }

    mutating func create(_ identifier: String, storesMessages: Bool, at time: Int64) {
        channels[identifier] = MockChannel(id: identifier, storesMessages: storesMessages, created: time)
    }

    /// Returns false if there is no channel of this identifier.
    mutating func delete(_ identifier: String) -> Bool {
        guard var channel = channels.removeValue(forKey: identifier) else { return false }
        channel.isDeleted = true
        deleted[identifier] = channel
        deletedInOrder.append(identifier)
        due[identifier] = nil
        if deletedInOrder.count > Self.maximumDeleted {
            let oldest = deletedInOrder.removeFirst()
            deleted[oldest] = nil
            publishes[oldest] = nil
        }
        return true
    }

    /// Adds a follower. Returns false if there is no channel of this identifier.
    mutating func follow(_ identifier: String, token: [UInt8]) -> Bool {
        channels[identifier]?.followers.insert(String(decoding: token, as: UTF8.self)) != nil
    }

    /// Returns a rejection that depends on the channel: it is missing, or stores no messages and the push expires.
    func rejection(ofPublishTo identifier: String, expiration: Int64) -> Rejection? {
        guard let channel = channels[identifier] else { return .channelNotRegistered }
        return channel.storesMessages || expiration == 0 ? nil : .badExpirationDate
    }

    /// Counts a push against the channel's rate limit. Returns false, and counts nothing, if the limit is exceeded.
    mutating func takesPublish(to identifier: String, _ rules: MockScript.Channels, now: MonotonicTime) -> Bool {
        guard let interval = rules.publishInterval else { return true }
        let ahead = TimeInterval(nanoseconds: interval.nanoseconds * UInt64(max(0, rules.publishBurst - 1)))
        let next = max(due[identifier] ?? now, now)
        guard next - now <= ahead else { return false }
        due[identifier] = next + interval
        return true
    }

    mutating func published(_ publish: MockPublish, to identifier: String) {
        channels[identifier]?.publishCount += 1
        channels[identifier]?.lastPublish = publish
        guard room > 0 else { return }
        room -= 1
        publishes[identifier, default: []].append(publish)
    }
}
