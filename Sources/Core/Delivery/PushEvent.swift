/// What a broadcast, and each push of it, does to a live activity: the payload's `event`.
public enum PushEvent: String, Hashable, Sendable, CaseIterable {
    case start
    case update
    case end

    /// Its place in `allCases`.
    public var index: Int {
        switch self {
        case .start: 0
        case .update: 1
        case .end: 2
        }
    }
}
