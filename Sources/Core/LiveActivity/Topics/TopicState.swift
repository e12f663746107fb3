/// The state of a topic, set by its owner.
public enum TopicState: String, CaseIterable, Sendable {
    /// Users can follow it; no Live Activity is shown yet.
    case upcoming
    /// Followers have its Live Activity.
    case live
    /// Its Live Activities are ended. If it becomes live again, a new activity is created.
    case ended
}
