extension MockFCM {
    /// The event of a Live Activity message: `live_activity_event` of its data.
    public enum Event: String, Sendable, CaseIterable {
        case start, update, end
    }
}
