/// The versions of what is written, by number. A gateway reads all that it knows; which one it writes the store says,
/// so that those that do not know the newest may run beside it.
public enum StoreLayout: Int, Comparable, Sendable, CustomStringConvertible {
    /// Every page of a roster is a key, and a pointer leads from each broadcast to its activity.
    case keyed = 1
    /// Short pages are fields of their partition's counters, and an activity's id follows from those of its broadcasts.
    case packed = 2
    /// What is kept of an activity's first broadcasts are fields of its hash, and the index of a busy hour has parts.
    /// And every gateway reads long answers to idempotency keys that are packed, and leaves a mark for imports when it
    /// erases somebody.
    case folded = 3

    /// The newest that this version knows.
    public static let newest = StoreLayout.folded

    public var description: String { "\(rawValue)" }

    public static func < (one: StoreLayout, other: StoreLayout) -> Bool { one.rawValue < other.rawValue }
}
