public import TimeCore

/// The times at which pushes left for the provider, including retries. Pushes of a gateway that was killed are missing.
public struct PushTimes: Equatable, Sendable {
    /// The time of the first push.
    public var first: WallTime
    /// The time of the last push.
    public var last: WallTime

    public init(first: WallTime, last: WallTime) {
        self.first = first
        self.last = last
    }
}
