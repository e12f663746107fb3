import Delivery
import HTTP2Core
import TimeCore

/// The rendered push and the receiver, shared by all pushes that were submitted with both.
final class PushSource {
    let push: any RenderedPush
    let event: PushEvent
    let receiver: any PushOutcomeReceiver
    /// The outcomes to report, other than accepted.
    var results: [PushResult] = []
    /// True if it is on the list of sources with results.
    var isListed = false
    /// True if no more of its pushes may be sent.
    var isWithdrawn = false
    /// True after one of its pushes was accepted.
    var isTopicProven = false
    private var request: (epoch: UInt32, template: HTTP2RequestTemplate)?

    init(_ push: any RenderedPush, _ receiver: any PushOutcomeReceiver) {
        self.push = push
        event = push.event
        self.receiver = receiver
    }

    /// True if the deadline for sending its pushes has passed.
    func isOver(_ now: MonotonicTime) -> Bool { push.notAfter.map { $0 < now } ?? false }

    /// Returns the engine's template; nil if the dialect cannot create one or the source was withdrawn.
    func request(
        _ dialect: any PushDialect, _ authorization: AuthorizationValue, authority: String
    ) -> HTTP2RequestTemplate? {
        guard !isWithdrawn else { return nil }
        if let request, request.epoch == authorization.epoch { return request.template }
        guard let made = dialect.request(push, authorization: authorization, authority: authority) else { return nil }
        request = (authorization.epoch, made)
        return made
    }
}
