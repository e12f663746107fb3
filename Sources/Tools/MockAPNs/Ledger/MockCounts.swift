public import MockKit

/// The counts of the mock since its start. Members of `server` are available directly: `counts.accepted` is
/// `counts.server.accepted`.
@dynamicMemberLookup
public struct MockCounts: Sendable, Equatable {
    /// The counts of pushes as requests, and of their connections. Calls about channels count only in `asideByMark`.
    public let server: ServerCounts

    init(_ server: ServerCounts) {
        self.server = server
    }

    /// The counts that every mock server has.
    public subscript<Value>(dynamicMember path: KeyPath<ServerCounts, Value>) -> Value { server[keyPath: path] }

    /// Complete pushes to devices and channels that were processed, including rejected ones.
    public var pushes: Int { server.requests }
    /// Pushes whose connection a rule closed in place of an answer.
    public var pushesWithConnectionClosed: Int { server.requestsWithConnectionClosed }
    /// Pushes to the token of 64 zeros. No other count and no ledger includes them.
    public var pushesToNobody: Int {
        server.asideByMark.reduce(0) { $0 + (ChannelCallMark($1.key) == nil ? $1.value : 0) }
    }
    /// Pushes to devices by `apns-push-type`, without unknown types.
    public var pushesByType: [MockPushType: Int] { tally { $0.isPublish ? nil : $0.type } }
    /// Pushes to devices by event, without those that name none.
    public var pushesByEvent: [MockPushEvent: Int] { tally { $0.isPublish ? nil : $0.event } }
    /// Pushes to channels, including rejected ones.
    public var publishes: Int { tally { $0.isPublish ? true : nil }[true] ?? 0 }
    /// Pushes to channels by event, without those that name none.
    public var publishesByEvent: [MockPushEvent: Int] { tally { $0.isPublish ? $0.event : nil } }

    /// Calls about channels, including rejected ones.
    public var channelCalls: [MockChannelCall: Int] { calls { _ in true } }
    /// Calls about channels that were carried out, even if their answer was lost.
    public var channelCallsCarriedOut: [MockChannelCall: Int] { calls(\.isCarriedOut) }
    /// The number of channels that calls have created.
    public var channelsCreated: Int { channelCallsCarriedOut[.create] ?? 0 }
    /// The number of channels that calls have deleted.
    public var channelsDeleted: Int { channelCallsCarriedOut[.delete] ?? 0 }

    private func tally<Key>(_ key: (PushMark) -> Key?) -> [Key: Int] {
        server.requestsByMark.reduce(into: [:]) { counts, entry in
            if let key = key(PushMark(entry.key)) { counts[key, default: 0] += entry.value }
        }
    }

    private func calls(_ isCounted: (ChannelCallMark) -> Bool) -> [MockChannelCall: Int] {
        server.asideByMark.reduce(into: [:]) { counts, entry in
            guard let mark = ChannelCallMark(entry.key), let call = mark.call, isCounted(mark) else { return }
            counts[call, default: 0] += entry.value
        }
    }
}
