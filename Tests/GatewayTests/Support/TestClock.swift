import Synchronization
import TimeCore

/// A clock for the gateways of a test. It stands still until it is set; Redis, connections and deadlines have their
/// own.
final class TestClock: Sendable {
    private let milliseconds: Atomic<Int64>

    /// Begins at the true time, so that what Redis drops at a time of ours is not dropped early.
    init() {
        milliseconds = Atomic(WallTime.now().milliseconds)
    }

    var now: WallTime {
        get { WallTime(milliseconds: milliseconds.load(ordering: .acquiring)) }
        set { milliseconds.store(newValue.milliseconds, ordering: .releasing) }
    }

    func advance(seconds: Int) {
        milliseconds.add(Int64(seconds) * 1000, ordering: .acquiringAndReleasing)
    }
}
