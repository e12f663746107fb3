import Reactor
import TimeCore

/// What tenants want to be told of, as it was read a moment ago, so that not each of many small calls asks for it.
/// Whoever switches something on waits for longer than this is believed before it says that it is on: what comes after
/// that is told by every gateway. From any thread.
final class EventSwitches: Sendable {
    /// What is switched on.
    struct Switches: Sendable {
        /// Whether there are events at all.
        let areOn: Bool
        /// Whether changes are events.
        let hasAudit: Bool
    }

    /// For how long what was read counts.
    static let life = TimeInterval.milliseconds(200)
    /// How long whoever switches something on waits.
    static let wait = Duration.milliseconds(250)
    private static let capacity = 10_000

    private let known = Locked<[String: (switches: Switches, until: MonotonicTime)]>([:])

    /// Nil when it has to be read.
    subscript(tenantID: String, now: MonotonicTime) -> Switches? {
        known.withLock { $0[tenantID] }.flatMap { now < $0.until ? $0.switches : nil }
    }

    /// - Parameter asked: when the question was sent.
    func read(_ switches: Switches, of tenantID: String, asked: MonotonicTime) {
        known.withLock { known in
            if known.count >= EventSwitches.capacity { known.removeAll() }
            known[tenantID] = (switches, asked + EventSwitches.life)
        }
    }

    /// Returns when no gateway believes what it read before.
    static func settle() async {
        // Whoever is told to stop waits all the same: what it has changed is changed.
        await Task { try? await Task.sleep(for: wait) }.value
    }
}
