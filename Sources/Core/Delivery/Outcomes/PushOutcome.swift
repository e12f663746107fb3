/// The outcome of a push, exactly one for each. It is one machine word, and acceptances allocate nothing.
public enum PushOutcome: Hashable, Sendable {
    /// The provider accepted the push. It does not report if the phone shows it.
    case accepted
    /// The provider answered with a rejection.
    indirect case rejected(Rejection)
    /// There was no answer. `mayHaveBeenDelivered` is false only if the provider cannot have processed the push.
    indirect case unsent(UnsentCause, mayHaveBeenDelivered: Bool)
}
