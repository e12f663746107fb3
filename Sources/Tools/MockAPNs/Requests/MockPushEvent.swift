/// The `event` of a Live Activity payload.
public enum MockPushEvent: String, Sendable, CaseIterable {
    case start, update, end
}
