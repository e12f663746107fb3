/// What a push does to a live activity: the payload's `event`.
public enum PushEvent: String, Hashable, Sendable, CaseIterable {
    case start
    case update
    case end
}
