public import Delivery
public import FCMCore
public import PushClient
public import TimeCore

/// What all pushes of one broadcast to Android devices share: the message.
///
/// Immutable but for `notAfter`, which is set where the pushes are given.
public final class FCMPush: RenderedPush, @unchecked Sendable {
    /// What is sent, but for the registration token.
    public let message: FCMMessage
    /// A push that has no stream by then is not sent any more. Set it on the client's reactor.
    public var notAfter: MonotonicTime?

    public init(_ message: FCMMessage) {
        self.message = message
    }

    /// What it does to the Live Activity.
    public var event: PushEvent { message.event }
}

extension ProbePush {
    /// A message that FCM checks and does not deliver, to a token that is nobody's.
    public static let fcm = ProbePush(FCMPush(.probe), address: FCMMessage.nobody)
}
