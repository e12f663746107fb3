/// The queue of a job. Separate queues keep larger or less urgent jobs from delaying others.
public enum JobLane: Int, CaseIterable, Sendable, CustomStringConvertible {
    /// Broadcasts of any kind to few devices.
    case small
    /// Partitions of starts and ends.
    case first
    /// Partitions of updates.
    case updates

    /// The most devices of a broadcast that counts as small.
    static let smallBroadcast = 2_000

    public var description: String {
        switch self {
        case .small: "small"
        case .first: "first"
        case .updates: "updates"
        }
    }
}
