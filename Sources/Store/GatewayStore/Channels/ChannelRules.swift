public import TimeCore

/// What becomes of channels that activities have, and of those that only one side knows of. Pure.
public struct ChannelRules: Hashable, Sendable {
    /// How long after its activity's end a channel is kept, so that phones that were off still get the end.
    public var grace: TimeInterval
    /// How long after it was taken a channel is kept that its activity does not name: its start was refused, or cut
    /// off.
    public var unnamed = TimeInterval.seconds(300)
    /// How long a channel that is nobody's must have been so before it is deleted where channels are exclusive. A
    /// creation that is under way is over long before.
    public var strangerAge = TimeInterval.seconds(3600)
    /// A channel that is younger may be missing in a list that APNs has prepared before.
    public var listedAfter = TimeInterval.seconds(120)

    public init(grace: TimeInterval) {
        self.grace = grace
    }

    /// When a channel may be deleted that was taken at a time; nil while it is in use.
    public func deletion(takenAt: WallTime, by taker: ChannelTaker) -> WallTime? {
        switch taker {
        case .alive(namesChannel: true): nil
        case .ended(let time, namesChannel: true): time + grace
        // Nobody follows it; but a start may still be on its way to name it.
        case .gone, .alive(namesChannel: false), .ended(_, namesChannel: false): takenAt + unnamed
        }
    }

    /// Compares what is known with what APNs has.
    /// - Parameters:
    ///   - before: the known channels, and since when, as read before APNs was asked.
    ///   - after: those that were known after it had answered.
    ///   - listed: APNs's list.
    ///   - now: when APNs was asked.
    /// - Returns: those that APNs does not have any more, and those that it has and nobody knows of.
    public func compare(
        before: [String: WallTime], after: Set<String>, listed: [String], now: WallTime
    ) -> (missing: [String], strangers: [String]) {
        let there = Set(listed)
        let missing = before.filter { !there.contains($0.key) && $0.value + listedAfter <= now }.map(\.key)
        return (missing.sorted(), there.filter { before[$0] == nil && !after.contains($0) }.sorted())
    }
}
