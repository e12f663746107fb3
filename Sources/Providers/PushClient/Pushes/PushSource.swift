import Delivery
import HTTP2Core
import TimeCore

/// What pushes share and the receiver of its outcomes, shared by all pushes that were given with both.
final class PushSource {
    let push: any RenderedPush
    let event: PushEvent
    let receiver: any PushOutcomeReceiver
    /// Outcomes other than accepted that the receiver has not heard of.
    var results: [PushResult] = []
    /// Whether it is on the list of those with results.
    var isListed = false
    /// Nothing of it is to be sent any more.
    var isWithdrawn = false
    /// True after a push of it was accepted.
    var isTopicProven = false
    private var request: (epoch: UInt32, template: HTTP2RequestTemplate)?

    init(_ push: any RenderedPush, _ receiver: any PushOutcomeReceiver) {
        self.push = push
        event = push.event
        self.receiver = receiver
    }

    /// Whether the time in which its pushes are of use has passed.
    func isOver(_ now: MonotonicTime) -> Bool { push.notAfter.map { $0 < now } ?? false }

    /// What the engine makes requests from; nil when there can be none, or it was withdrawn.
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
