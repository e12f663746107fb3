import GatewayStore
import LiveActivity
import Reactor

/// A cache of activities whose last update this gateway has sent from the beginning, to at least one device. The step
/// that records an update checks what may have changed since, so the next one needs no read. A full cache is cleared,
/// which costs each activity one more read. From any thread.
final class RecentActivities: Sendable {
    private let records = Locked<[UniqueID: ActivityRecord]>([:])
    /// The most entries, of about 500 bytes each.
    private static let capacity = 50_000

    subscript(activity: UniqueID) -> ActivityRecord? { records.withLock { $0[activity] } }

    func add(_ record: ActivityRecord) {
        records.withLock { records in
            if records.count >= RecentActivities.capacity { records.removeAll(keepingCapacity: true) }
            records[record.activity.id] = record
        }
    }

    func remove(_ activity: UniqueID) { records.withLock { $0[activity] = nil } }
}
