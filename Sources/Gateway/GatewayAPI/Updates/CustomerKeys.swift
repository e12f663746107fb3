import GatewayStore
import Reactor

/// The cache of customers' keys, so that the step that carries out a request can admit it. That step verifies the key.
/// A full cache is cleared, which costs each key one query. From any thread.
final class CustomerKeys: Sendable {
    private let known = Locked<[String: KnownKey]>([:])
    private static let capacity = 1024

    /// Nil for an unknown key.
    subscript(key: String) -> KnownKey? { known.withLock { $0[key] } }

    /// Adds a key that the store has admitted.
    func learned(_ opened: KnownKey, of key: String) {
        known.withLock { known in
            guard known[key] != opened else { return }
            if known.count >= CustomerKeys.capacity { known = [:] }
            known[key] = opened
        }
    }
}
