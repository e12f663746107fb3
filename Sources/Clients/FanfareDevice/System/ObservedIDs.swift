import Foundation

/// Which Live Activities are observed already. Guarded by its lock.
final class ObservedIDs: @unchecked Sendable {
    private let lock = NSLock()
    private var ids: Set<String> = []

    /// False when it is there already.
    func insert(_ id: String) -> Bool { lock.withLock { ids.insert(id).inserted } }

    func remove(_ id: String) { lock.withLock { _ = ids.remove(id) } }
}
