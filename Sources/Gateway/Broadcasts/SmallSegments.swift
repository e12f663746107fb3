import GatewayStore
import LiveActivity

/// What is known of the activities that were updated here: whether their updates can be sent at once. Bounded: when
/// there are too many all are forgotten, and each costs one look more.
struct SmallSegments {
    private struct Entry {
        let kind: SmallSegment.Kind
        let tenantID: String
    }

    private var entries: [UniqueID: Entry] = [:]
    /// Some 60 bytes each.
    private static let capacity = 200_000

    /// The kind of a tenant's activity. Nil if it is not known, or the activity is another tenant's.
    subscript(activity: UniqueID, tenantID: String) -> SmallSegment.Kind? {
        guard let entry = entries[activity], entry.tenantID == tenantID else { return nil }
        return entry.kind
    }

    mutating func learned(_ kind: SmallSegment.Kind, of activity: UniqueID, _ tenantID: String) {
        if entries.count >= SmallSegments.capacity { entries.removeAll(keepingCapacity: true) }
        entries[activity] = Entry(kind: kind, tenantID: tenantID)
    }

    mutating func forget(_ activity: UniqueID) {
        entries[activity] = nil
    }
}
