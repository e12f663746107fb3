import TimeCore

/// The channels of the mock's app: which there are, who follows them, what was published to them. Pure.
struct ChannelRegister {
    /// By identifier.
    private(set) var channels: [String: MockChannel] = [:]
    private var publishes: [String: [MockPublish]] = [:]
    private var deleted: [String: MockChannel] = [:]
    private var deletedInOrder: [String] = []
    /// By channel: when a push that comes at the allowed pace would be due.
    private var due: [String: MonotonicTime] = [:]
    /// How many more publishes are kept whole.
    private var room: Int
    private static let maximumDeleted = 10_000

    /// - Parameter capacity: how many publishes are kept whole.
    init(capacity: Int) {
        room = capacity
    }

    /// The channel of this name, also when it has been deleted, as long as ten thousand others have not been since.
    func channel(_ identifier: String) -> MockChannel? { channels[identifier] ?? deleted[identifier] }

    func publishes(to identifier: String) -> [MockPublish] { publishes[identifier] ?? [] }

    mutating func create(_ identifier: String, storesMessages: Bool, at time: Int64) {
        channels[identifier] = MockChannel(id: identifier, storesMessages: storesMessages, created: time)
    }

    /// False when there is none.
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

    /// False when there is no such channel.
    mutating func follow(_ identifier: String, token: [UInt8]) -> Bool {
        channels[identifier]?.followers.insert(String(decoding: token, as: UTF8.self)) != nil
    }

    /// Why a push to a channel is not taken, beside what is wrong with its form.
    func rejection(ofPublishTo identifier: String, expiration: Int64) -> Rejection? {
        guard let channel = channels[identifier] else { return .channelNotRegistered }
        return channel.storesMessages || expiration == 0 ? nil : .badExpirationDate
    }

    /// Whether one more push to the channel keeps the pace; it counts when it does.
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
