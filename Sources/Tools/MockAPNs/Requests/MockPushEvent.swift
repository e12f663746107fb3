/// What a Live Activity push does on the phone: the `event` of its payload.
public enum MockPushEvent: String, Sendable, CaseIterable {
    case start, update, end
}
