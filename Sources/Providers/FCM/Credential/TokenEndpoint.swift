import Connecting
import FCMCore
import ProviderCalls
import TimeCore

/// The endpoint that issues access tokens (RFC 6749, section 3.2). Confined to its client's reactor.
struct TokenEndpoint {
    let client: CallClient
    let path: String
    /// The whole URL, which is the audience of requests.
    let url: String

    /// Ends requests in progress. No more may follow.
    func close() { client.close() }

    /// Sends one request.
    /// - Parameter completion: Called once, by the deadline, with the answer's `Retry-After`.
    func ask(
        _ body: [UInt8], deadline: TimeInterval, completion: @escaping (AccessTokenAnswer, TimeInterval) -> Void
    ) {
        let fields = [
            ProviderCall.Field("content-type", "application/x-www-form-urlencoded"),
            ProviderCall.Field("accept", "application/json"),
        ]
        client.call(ProviderCall(.post, path, fields: fields, body: body), deadline: deadline) { result in
            switch result {
            case .success(let answer):
                completion(
                    AccessTokenAnswer(status: answer.status, body: answer.body),
                    .seconds(Int(answer.retryAfter ?? 0)))
            case .failure(let failure): completion(.failed(failure.reason), .zero)
            }
        }
    }
}
