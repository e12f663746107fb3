/// Whether a write of somebody who works on a job was taken.
public enum JobWrite: Sendable {
    case written
    /// Somebody else works on it by now.
    case lost
}
