public import TimeCore

/// When a broadcast's pushes left for the provider, tried ones included. Those of a gateway that was killed are not in
/// it.
public struct PushTimes: Equatable, Sendable {
    /// The first one's time.
    public var first: WallTime
    /// The last one's.
    public var last: WallTime

    public init(first: WallTime, last: WallTime) {
        self.first = first
        self.last = last
    }
}
