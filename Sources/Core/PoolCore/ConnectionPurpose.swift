/// The kind of pushes on a connection.
public enum ConnectionPurpose: Equatable, Sendable {
    case ordinary
    /// Pushes to tokens that the provider rejected before. After a rejected push, the provider may reduce the
    /// connection's stream limit to 1. A separate connection keeps them from delaying other pushes.
    case suspects
}
