import Synchronization
import TimeCore

/// Knows since when an upload waits for its client. The time in which the store has it does not count.
final class UploadWatch: Sendable {
    private let waitingSince: Mutex<MonotonicTime?>

    init() {
        waitingSince = Mutex(.now())
    }

    func waits() {
        waitingSince.withLock { $0 = .now() }
    }

    func received() {
        waitingSince.withLock { $0 = nil }
    }

    /// Returns when the client has sent nothing for so long; throws when it is cancelled.
    func awaitSilence(of limit: TimeInterval) async throws {
        while true {
            let now = MonotonicTime.now()
            let end = (waitingSince.withLock { $0 } ?? now) + limit
            guard now < end else { return }
            try await Task.sleep(for: .nanoseconds(Int64(clamping: (end - now).nanoseconds)))
        }
    }
}
