/// The origin of the activities in a listing.
public enum ActivityOpener: String, CaseIterable, Sendable {
    /// Activities that the customer has registered, and those of its topics.
    case customer
    /// Activities that devices have opened.
    case device
    case any
}
