import Connecting
import FCMCore
import ProviderCalls
import TimeCore

/// Where access tokens are given out (RFC 6749, section 3.2). On the reactor of its client.
struct TokenEndpoint {
    let client: CallClient
    let path: String
    /// The whole URL, which requests name as their audience.
    let url: String

    /// Ends what is asked; it is asked for nothing more.
    func close() { client.close() }

    /// Asks once.
    /// - Parameter completion: called once, by the deadline, with the answer's `Retry-After`.
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
