/// When the events of jobs are published, beside their pushes: for each job once at a time, again when pages were
/// written meanwhile or it failed, and what follows comes when all is told. A pure machine: it publishes nothing
/// itself.
///
/// Each job that was begun ends in one `told` or in `dropped`.
public struct EventTelling<Job: Hashable, Next> {
    private struct State {
        /// Pages have been written since the publishing under way began.
        var isAgainWanted = false
        var next: Next?
    }

    private var states: [Job: State] = [:]

    /// What to do when a publishing has ended.
    public enum Outcome {
        /// Publish again at once.
        case again
        /// Publish again after a pause.
        case afterPause
        /// All is told; what follows, if anything does.
        case told(Next?)
    }

    public init() {}

    /// Pages of the job were written.
    /// - Returns: whether to publish now; else somebody is at it, or will be after a pause.
    public mutating func pagesWritten(_ job: Job) -> Bool {
        guard states[job] != nil else {
            states[job] = State()
            return true
        }
        states[job]?.isAgainWanted = true
        return false
    }

    /// What follows when all of the job is told. It has been begun.
    public mutating func follow(_ job: Job, with next: Next) {
        states[job]?.next = next
    }

    /// The publishing under way has ended.
    public mutating func published(_ job: Job, isSuccess: Bool) -> Outcome {
        guard isSuccess else { return .afterPause }
        guard states[job]?.isAgainWanted != true else {
            states[job]?.isAgainWanted = false
            return .again
        }
        return .told(states.removeValue(forKey: job)?.next)
    }

    /// Somebody else tells it now.
    public mutating func dropped(_ job: Job) {
        states[job] = nil
    }
}
