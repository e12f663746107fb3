import GatewayStore
import LiveActivity

/// What is known of the activities that were updated here: whether their updates can be sent at once. Bounded: when there are
/// too many all are forgotten, and each costs one look more.
struct SmallSegments {
    private var kinds: [UniqueID: SmallSegment.Kind] = [:]
    /// Some 40 bytes each.
    private static let capacity = 200_000

    /// Nil when it is not known.
    subscript(activity: UniqueID) -> SmallSegment.Kind? { kinds[activity] }

    mutating func learned(_ kind: SmallSegment.Kind, of activity: UniqueID) {
        if kinds.count >= SmallSegments.capacity { kinds.removeAll(keepingCapacity: true) }
        kinds[activity] = kind
    }

    mutating func forget(_ activity: UniqueID) {
        kinds[activity] = nil
    }
}
