public import Delivery

/// Hears what a client's provider says beside acceptances: for whoever has more to regulate than the client does. On
/// the client's reactor; it must not call back.
public protocol AnswerObserver: AnyObject {
    /// An answer by which a push, or a probe of the client's own, was not taken.
    func pushRejected(_ rejection: Rejection)
    /// A push goes out once more, because the client doubts what it was answered.
    func pushRepeated()
    /// So many of the answers of a short while speak of trouble that the client sends less at a time.
    func troublesGathered()
}
