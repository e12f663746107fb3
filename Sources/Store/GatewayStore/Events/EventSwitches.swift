import Reactor
import TimeCore

/// A short-lived cache of tenants' event settings, which saves a read for each small call.
///
/// A caller that switches events on waits longer than an entry lives before it reports success. From then on every
/// gateway publishes the events. Callable from any thread.
final class EventSwitches: Sendable {
    /// A tenant's event settings.
    struct Switches: Sendable {
        /// True if the tenant has any receiver of events.
        let areOn: Bool
        /// True if the tenant's audit switch is on. Changes are published as events if `areOn` is true as well.
        let hasAudit: Bool
    }

    /// The lifetime of an entry.
    static let life = TimeInterval.milliseconds(200)
    /// The time that `settle` waits.
    static let wait = Duration.milliseconds(250)
    private static let capacity = 10_000

    private let known = Locked<[String: (switches: Switches, until: MonotonicTime)]>([:])

    /// The cached settings; nil if they must be read.
    subscript(tenantID: String, now: MonotonicTime) -> Switches? {
        known.withLock { $0[tenantID] }.flatMap { now < $0.until ? $0.switches : nil }
    }

    /// Caches settings.
    /// - Parameter asked: The time of the request.
    func read(_ switches: Switches, of tenantID: String, asked: MonotonicTime) {
        known.withLock { known in
            if known.count >= EventSwitches.capacity { known.removeAll() }
            known[tenantID] = (switches, asked + EventSwitches.life)
        }
    }

    /// Returns when no gateway uses settings from before the call.
    static func settle() async {
        // Runs in a task of its own. The change is already written, so a cancelled caller must also wait.
        await Task { try? await Task.sleep(for: wait) }.value
    }
}
