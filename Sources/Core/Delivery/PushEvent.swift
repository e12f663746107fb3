/// The effect of a broadcast and its pushes on a Live Activity: the payload's `event`.
public enum PushEvent: String, Hashable, Sendable, CaseIterable {
    case start
    case update
    case end

    /// The position in `allCases`.
    public var index: Int {
        switch self {
        case .start: 0
        case .update: 1
        case .end: 2
        }
    }
}
