import ShareCore
import Synchronization
import TimeCore

/// Measures the silence and speed of an upload's client. The time in which the store handles a piece does not count.
final class UploadWatch: Sendable {
    private struct State {
        var waitingSince: MonotonicTime?
        var pace: UploadPace
    }

    private let state: Mutex<State>
    /// The upload's place among all.
    private let place: Share

    /// The pause between checks of a slow upload.
    private static let period = TimeInterval.seconds(1)

    init(_ pace: UploadPace, _ place: Share) {
        state = Mutex(State(waitingSince: .now(), pace: pace))
        self.place = place
    }

    func waits() {
        state.withLock { $0.waitingSince = .now() }
    }

    func received(_ bytes: Int) {
        state.withLock { state in
            if let begin = state.waitingSince { state.pace.received(bytes, after: .now() - begin) }
            state.waitingSince = nil
        }
    }

    /// Returns the error for an upload that was silent for this time, or slow while others need its place. Throws on
    /// cancellation.
    func awaitEnd(silence: TimeInterval) async throws -> APIError {
        while true {
            let now = MonotonicTime.now()
            let (since, pace) = state.withLock { ($0.waitingSince ?? now, $0.pace) }
            let waited = now - since
            guard waited < silence else { return .tooSlow }
            if pace.isTooSlow(after: waited), place.makeWayIfTight() { return .tricklesWhileTight(pace.slowest) }
            var pause = (since + silence) - now
            if let patience = pace.patience {
                pause = min(pause, patience > waited ? max((since + patience) - now, .milliseconds(1)) : Self.period)
            }
            try await Task.sleep(for: pause.duration)
        }
    }
}

extension APIError {
    fileprivate static func tricklesWhileTight(_ slowest: Int) -> APIError {
        APIError(
            .requestTimeout,
            "the upload was slower than \(slowest) bytes a second while other uploads waited; send it again")
    }
}
