import HTTP2Core
import PushProtocol
import TimeCore

/// A template and the receiver of its outcomes, shared by all pushes that were given with both.
final class PushSource {
    let template: PushTemplate
    let receiver: any PushOutcomeReceiver
    /// Outcomes other than accepted that the receiver has not heard of.
    var results: [PushResult] = []
    /// Whether it is on the list of those with results.
    var isListed = false
    /// Nothing of it is to be sent any more.
    var isWithdrawn = false
    private var request: (tokenEpoch: UInt32, template: HTTP2RequestTemplate)?

    init(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) {
        self.template = template
        self.receiver = receiver
    }

    /// Whether the time in which its pushes are of use has passed.
    func isOver(_ now: MonotonicTime) -> Bool { template.notAfter.map { $0 < now } ?? false }

    /// What the engine makes requests from; nil when the header fields are too long for it, or it was withdrawn.
    func request(_ token: ProviderToken, authority: String) -> HTTP2RequestTemplate? {
        guard !isWithdrawn else { return nil }
        if let request, request.tokenEpoch == token.epoch { return request.template }
        guard let made = try? HTTP2RequestTemplate(template, token, authority: authority) else { return nil }
        request = (token.epoch, made)
        return made
    }
}

extension HTTP2RequestTemplate {
    /// A push to a device (Apple: "Sending notification requests to APNs").
    convenience init(
        _ push: PushTemplate, _ token: ProviderToken, authority: String
    ) throws(HTTP2RequestTemplate.TooLarge) {
        var fields: [Field] = [
            .constant(name: ":method", value: Array("POST".utf8)),
            .constant(name: ":scheme", value: Array("https".utf8)),
            .constant(name: ":authority", value: Array(authority.utf8)),
            .path(prefix: Array("/3/device/".utf8)),
            .secret(name: "authorization", value: Array(token.authorization)),
        ]
        for field in push.fields {
            fields.append(.constant(name: "\(field.name)", value: Array(field.value)))
        }
        fields.append(.numbered(name: "apns-id", prefix: Array(push.identifierPrefix)))
        try self.init(fields: fields, hole: .path(.hexadecimal), body: HTTP2RequestBody(push.body))
    }
}
