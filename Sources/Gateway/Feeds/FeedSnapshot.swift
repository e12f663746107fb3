public import FeedCore
public import TimeCore

/// What a gateway knows of a feed.
public struct FeedSnapshot: Sendable {
    /// Its place in the configuration's list.
    public let number: Int
    /// Host and port.
    public let host: String
    /// How it is doing, whichever gateway polls it; as of the last look.
    public internal(set) var state = FeedState()
    /// Whether it is this gateway that polls it.
    public internal(set) var isOwn = false
    /// Polls by this gateway, by what came of them: `unchanged`, `taken`, or the failure's raw value.
    public internal(set) var polls: [String: Int] = [:]
    /// Elements that this gateway has taken or refused, by the outcome's name.
    public internal(set) var elements: [String: Int] = [:]

    init(_ options: FeedOptions) {
        number = options.number
        host = options.host
    }

    /// Since when it fails, if that is longer than it may be.
    public func failingSince(now: WallTime, longerThan patience: TimeInterval) -> WallTime? {
        state.failingSince.flatMap { $0 + patience <= now ? $0 : nil }
    }
}
