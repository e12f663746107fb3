/// Whose activities a listing is of.
public enum ActivityOpener: String, CaseIterable, Sendable {
    /// Those that the customer has registered, and those of its topics.
    case customer
    /// Those that devices have opened by themselves.
    case device
    case any
}
