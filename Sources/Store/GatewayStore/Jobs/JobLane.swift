/// Which queue a job waits in, so that none is held up by what is larger or less urgent.
public enum JobLane: Int, CaseIterable, Sendable, CustomStringConvertible {
    /// Broadcasts to few devices, whatever they do.
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
