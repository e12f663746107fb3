/// Where a topic stands, as its owner says.
public enum TopicState: String, CaseIterable, Sendable {
    /// It can be followed; nothing is shown yet.
    case upcoming
    /// Whoever follows it has its Live Activity.
    case live
    /// Its Live Activities are ended. It may go live once more, which is a new activity.
    case ended
}
