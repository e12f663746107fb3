public import TimeCore

/// The rules that delete channels, and that find those unknown to Fanfare or to APNs.
public struct ChannelRules: Hashable, Sendable {
    /// The time after the activity's end for which a channel is kept, so that offline phones still get the end.
    public var grace: TimeInterval
    /// The time after it was taken for which an unnamed channel is kept. Its activity's start was refused or cut off.
    public var unnamed = TimeInterval.seconds(300)
    /// The age at which an unknown channel is deleted if channels are exclusive. A creation takes much less time.
    public var strangerAge = TimeInterval.seconds(3600)
    /// The age below which a channel may be missing in a list from APNs, because the list may be older.
    public var listedAfter = TimeInterval.seconds(120)

    public init(grace: TimeInterval) {
        self.grace = grace
    }

    /// The time from which a taken channel may be deleted; nil while it is in use.
    public func deletion(takenAt: WallTime, by taker: ChannelTaker) -> WallTime? {
        switch taker {
        case .alive(namesChannel: true): nil
        case .ended(let time, namesChannel: true): time + grace
        // No device follows it, but a start that names it may still be under way.
        case .gone, .alive(namesChannel: false), .ended(_, namesChannel: false): takenAt + unnamed
        }
    }

    /// Compares the known channels with those of APNs.
    /// - Parameters:
    /// - before: The known channels with their times, as read before the request to APNs.
    /// - after: The channels known after the reply of APNs.
    /// - listed: The list from APNs.
    /// - now: The time of the request to APNs.
    /// - Returns: The channels that APNs no longer has, and those that only APNs has.
    public func compare(
        before: [String: WallTime], after: Set<String>, listed: [String], now: WallTime
    ) -> (missing: [String], strangers: [String]) {
        let there = Set(listed)
        let missing = before.filter { !there.contains($0.key) && $0.value + listedAfter <= now }.map(\.key)
        return (missing.sorted(), there.filter { before[$0] == nil && !after.contains($0) }.sorted())
    }
}
