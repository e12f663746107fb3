/// The result of a write by a worker of a job.
public enum JobWrite: Sendable {
    case written
    /// The job belongs to another worker by now.
    case lost
}
