public import FeedCore
public import TimeCore

/// The state of a feed with this gateway's counts.
public struct FeedSnapshot: Sendable {
    /// The place in the configuration's list.
    public let number: Int
    /// The host and port.
    public let host: String
    /// The state after the last poll of any gateway, as of the last read.
    public internal(set) var state = FeedState()
    /// True if this gateway polls the feed.
    public internal(set) var isOwn = false
    /// The polls by this gateway, by result: `unchanged`, `taken`, or the failure's raw value.
    public internal(set) var polls: [String: Int] = [:]
    /// The elements that this gateway accepted or refused, by the outcome's name.
    public internal(set) var elements: [String: Int] = [:]

    init(_ options: FeedOptions) {
        number = options.number
        host = options.host
    }

    /// Returns the time since which it fails, if that is longer than `patience`.
    public func failingSince(now: WallTime, longerThan patience: TimeInterval) -> WallTime? {
        state.failingSince.flatMap { $0 + patience <= now ? $0 : nil }
    }
}
