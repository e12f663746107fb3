import Connecting
import HTTP2Core
import Reactor

/// A call until its end, which occurs once.
final class PendingCall {
    let request: HTTP2RequestTemplate
    /// The number of streams that were refused unprocessed.
    var refusals = 0
    var deadline: ReactorTimer?
    /// The connection of the call; nil while it waits.
    weak var connection: CallConnection?
    private var completion: ((Result<ProviderAnswer, ProviderCallFailure>) -> Void)?

    /// Returns nil if its fields are too long for a request.
    init?(
        _ call: ProviderCall, authority: String,
        completion: @escaping (Result<ProviderAnswer, ProviderCallFailure>) -> Void
    ) {
        var fields: [HTTP2RequestTemplate.Field] = [
            .constant(name: ":method", value: Array(call.method.rawValue.utf8)),
            .constant(name: ":scheme", value: Array("https".utf8)),
            .constant(name: ":authority", value: Array(authority.utf8)),
            .path(prefix: Array(call.path.utf8)),
        ]
        for field in call.fields {
            let value = Array(field.value.utf8)
            fields.append(
                field.isSecret
                    ? .secret(name: .init(field.name), value: value) : .constant(name: .init(field.name), value: value))
        }
        // Without a requested field, the body of a 200 would not be kept.
        let template = try? HTTP2RequestTemplate(
            fields: fields, hole: .none, body: call.body.isEmpty ? nil : HTTP2RequestBody(call.body),
            asksForFields: call.askedFields.isEmpty ? ["content-type"] : call.askedFields)
        guard let template else { return nil }
        request = template
        self.completion = completion
    }

    var isOver: Bool { completion == nil }

    func end(_ result: Result<ProviderAnswer, ProviderCallFailure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}

extension ProviderAnswer {
    init(status: UInt16, _ details: HTTP2AnswerDetails) {
        self.init(
            status: status,
            fields: details.fields.map { ProviderCall.Field($0.name, String(decoding: $0.value, as: UTF8.self)) },
            body: details.body, retryAfter: details.retryAfter)
    }
}
