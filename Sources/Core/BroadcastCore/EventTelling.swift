/// Schedules the publishing of jobs' events beside their pushes. Each job has one publishing at a time. It is repeated
/// after a failure, or if pages were written meanwhile. A pure state machine.
///
/// Each job ends in one `told` or in `dropped`.
public struct EventTelling<Job: Hashable, Next> {
    private struct State {
        /// Pages have been written since the publishing under way began.
        var isAgainWanted = false
        var next: Next?
    }

    private var states: [Job: State] = [:]

    /// The next step after a publishing has ended.
    public enum Outcome {
        /// Publish again at once.
        case again
        /// Publish again after a pause.
        case afterPause
        /// All events are published. Contains the action to run next, if any.
        case told(Next?)
    }

    public init() {}

    /// Records that pages of the job were written.
    /// - Returns: True to publish now; false if a publishing is under way or waits for its pause.
    public mutating func pagesWritten(_ job: Job) -> Bool {
        guard states[job] != nil else {
            states[job] = State()
            return true
        }
        states[job]?.isAgainWanted = true
        return false
    }

    /// Sets the action to run once all events of the job are published. The job must have begun.
    public mutating func follow(_ job: Job, with next: Next) {
        states[job]?.next = next
    }

    /// Records the end of the publishing under way.
    public mutating func published(_ job: Job, isSuccess: Bool) -> Outcome {
        guard isSuccess else { return .afterPause }
        guard states[job]?.isAgainWanted != true else {
            states[job]?.isAgainWanted = false
            return .again
        }
        return .told(states.removeValue(forKey: job)?.next)
    }

    /// Drops the job, because another gateway publishes its events now.
    public mutating func dropped(_ job: Job) {
        states[job] = nil
    }
}
