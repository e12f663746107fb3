import GatewayStore
import LiveActivity

/// A cache of recently updated activities that shows if their updates can be sent at once. A full cache is cleared,
/// which costs each activity one more query.
struct SmallSegments {
    private struct Entry {
        let kind: SmallSegment.Kind
        let tenantID: String
    }

    private var entries: [UniqueID: Entry] = [:]
    /// The maximum number of entries, of about 60 bytes each.
    private static let capacity = 200_000

    /// Returns the kind of a tenant's activity. Nil if it is unknown, or the activity is another tenant's.
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
