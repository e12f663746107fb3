import Glibc
import Reactor

/// Passes one value to another thread that waits for it.
package final class Handover<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)
    private let semaphore: Semaphore

    package init() {
        semaphore = Semaphore()
    }

    package func give(_ given: Value) {
        value.withLock { $0 = given }
        semaphore.signal()
    }

    /// Blocks until the value arrives. Call it once.
    package func take() -> Value {
        while true {
            semaphore.wait()
            if let taken = value.withLock({ $0 }) { return taken }
        }
    }

    /// Guarded by the semaphore itself.
    private final class Semaphore: @unchecked Sendable {
        private let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

        init() {
            pointer.initialize(to: sem_t())
            sem_init(pointer, 0, 0)
        }

        deinit {
            sem_destroy(pointer)
            pointer.deallocate()
        }

        func signal() { sem_post(pointer) }
        func wait() { while sem_wait(pointer) != 0 {} }
    }
}
