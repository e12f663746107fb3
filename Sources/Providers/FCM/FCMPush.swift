public import Delivery
public import FCMCore
public import PushClient
public import TimeCore

/// The message that all pushes of one broadcast to Android devices share.
///
/// Immutable but for `notAfter`, which is set where the pushes are given.
public final class FCMPush: RenderedPush, @unchecked Sendable {
    /// The message without the registration token.
    public let message: FCMMessage
    /// A push that has no stream by then is not sent any more. Set it on the client's reactor.
    public var notAfter: MonotonicTime?

    public init(_ message: FCMMessage) {
        self.message = message
    }

    /// The effect on the Live Activity.
    public var event: PushEvent { message.event }

    /// One name for all pushes, because a client sends for one Firebase project.
    public var topic: String? { "project" }
}

extension ProbePush {
    /// A message that FCM checks and does not deliver, to a token that no phone has.
    public static let fcm = ProbePush(FCMPush(.probe), address: FCMMessage.nobody)
}
