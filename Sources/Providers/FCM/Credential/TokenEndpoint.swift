import FCMCore
import HTTPCalls
import Reactor
import TimeCore

/// The endpoint that issues access tokens (RFC 6749, section 3.2). Confined to its reactor.
struct TokenEndpoint {
    let client: CallClient
    /// The whole URL, which is the audience of requests.
    let url: String
    let reactor: Reactor

    /// Ends requests in progress. No more may follow.
    func close() { client.close() }

    /// Sends one request.
    /// - Parameter completion: Called once, by the deadline, with the answer's `Retry-After`.
    func ask(
        _ body: [UInt8], deadline: TimeInterval, completion: @escaping (AccessTokenAnswer, TimeInterval) -> Void
    ) {
        let fields = [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")]
        client.call(HTTPCall(.post, url, fields: fields, body: body), deadline: deadline, on: reactor) { result in
            switch result {
            case .success(let answer):
                completion(
                    AccessTokenAnswer(status: answer.status, body: answer.body), answer.retryAfter ?? .zero)
            case .failure(let failure): completion(.failed(failure.description), .zero)
            }
        }
    }
}
