import Synchronization

/// A flag that is set once the gateway accepts no more work. Atomic, because each request reads it.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() {
        flag.store(true, ordering: .releasing)
    }
}
