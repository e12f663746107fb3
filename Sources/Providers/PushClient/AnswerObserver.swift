public import Delivery

/// An observer of all answers except acceptances, for types that adjust their rate. Called on the client's reactor; it
/// must not call back.
public protocol AnswerObserver: AnyObject {
    /// Called for a rejected push or probe.
    func pushRejected(_ rejection: Rejection)
    /// Called when the client repeats a push because it doubts the answer.
    func pushRepeated()
    /// Called when the share of troubles in recent answers makes the client slow down.
    func troublesGathered()
}
