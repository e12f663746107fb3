import GatewayStore
import Reactor

/// What customers' keys were found to open, so that a request can be let in by the step that carries it out. That step
/// looks whether it still is so. Bounded: when there are too many all are forgotten, and each costs one look more. From
/// any thread.
final class CustomerKeys: Sendable {
    private let known = Locked<[String: KnownKey]>([:])
    private static let capacity = 1024

    /// Nil when it is not known.
    subscript(key: String) -> KnownKey? { known.withLock { $0[key] } }

    /// The store has let a request of this key in.
    func learned(_ opened: KnownKey, of key: String) {
        known.withLock { known in
            guard known[key] != opened else { return }
            if known.count >= CustomerKeys.capacity { known = [:] }
            known[key] = opened
        }
    }
}
