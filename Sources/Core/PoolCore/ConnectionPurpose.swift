/// What a connection carries.
public enum ConnectionPurpose: Equatable, Sendable {
    case ordinary
    /// Pushes to tokens that the provider has rejected before. A rejected push may make the provider shrink the
    /// connection's stream limit to 1, so these have one of their own and hold up no others.
    case suspects
}
