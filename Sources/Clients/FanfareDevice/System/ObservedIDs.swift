import Foundation

/// The ids of the observed Live Activities. Guarded by its lock.
final class ObservedIDs: @unchecked Sendable {
    private let lock = NSLock()
    private var ids: Set<String> = []

    /// Returns false if the id is present already.
    func insert(_ id: String) -> Bool { lock.withLock { ids.insert(id).inserted } }

    func remove(_ id: String) { lock.withLock { _ = ids.remove(id) } }
}
