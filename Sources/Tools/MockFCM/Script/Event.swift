extension MockFCM {
    /// What a message does to a Live Activity: `live_activity_event` of its data.
    public enum Event: String, Sendable, CaseIterable {
        case start, update, end
    }
}
