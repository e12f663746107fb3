/// How a push ended. Every push ends in exactly one of these. One machine word; an accepted push allocates nothing.
public enum PushOutcome: Hashable, Sendable {
    /// The provider has taken the push. Whether a phone shows it nobody is told.
    case accepted
    /// The provider answered, and has not taken it.
    indirect case rejected(Rejection)
    /// There was no answer. `mayHaveBeenDelivered` is false only when the provider cannot have processed the push.
    indirect case unsent(UnsentCause, mayHaveBeenDelivered: Bool)
}
