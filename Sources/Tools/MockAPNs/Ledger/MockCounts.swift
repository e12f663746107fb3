public import MockKit

/// What the mock has counted since its start. What any server counts is read as if it were its own: `counts.accepted`
/// is `counts.server.accepted`.
@dynamicMemberLookup
public struct MockCounts: Sendable, Equatable {
    /// What became of pushes as requests, and of connections. Calls about channels are not among its requests, nor are
    /// their connections.
    public let server: ServerCounts

    init(_ server: ServerCounts) {
        self.server = server
    }

    /// What any server has.
    public subscript<Value>(dynamicMember path: KeyPath<ServerCounts, Value>) -> Value { server[keyPath: path] }

    /// Pushes, to devices and to channels, whose request was complete and processed, whatever the answer.
    public var pushes: Int { server.requests }
    /// Pushes with which a rule ended the connection in place of an answer.
    public var pushesWithConnectionClosed: Int { server.requestsWithConnectionClosed }
    /// Pushes to the token of 64 zeros, which are counted here alone and kept in no ledger.
    public var pushesToNobody: Int {
        server.asideByMark.reduce(0) { $0 + (ChannelCallMark($1.key) == nil ? $1.value : 0) }
    }
    /// Pushes to devices by `apns-push-type`; those of no known type are left out.
    public var pushesByType: [MockPushType: Int] { tally { $0.isPublish ? nil : $0.type } }
    /// Pushes to devices by what they do; those that do not tell are left out.
    public var pushesByEvent: [MockPushEvent: Int] { tally { $0.isPublish ? nil : $0.event } }
    /// Pushes to channels, whatever the answer.
    public var publishes: Int { tally { $0.isPublish ? true : nil }[true] ?? 0 }
    /// Those of them that tell, by what they do.
    public var publishesByEvent: [MockPushEvent: Int] { tally { $0.isPublish ? $0.event : nil } }

    /// Calls about channels, whatever the answer.
    public var channelCalls: [MockChannelCall: Int] { calls { _ in true } }
    /// Those of them that were carried out, also when their answer was lost.
    public var channelCallsCarriedOut: [MockChannelCall: Int] { calls(\.isCarriedOut) }
    /// Channels created by calls.
    public var channelsCreated: Int { channelCallsCarriedOut[.create] ?? 0 }
    /// Channels deleted by calls.
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
