import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with `URLSession`, without cookies and caches, over one persistent connection.
///
/// Cancels a request without a complete answer at its timeout or with its task, which frees the connection. The request
/// may have arrived.
public final class URLSessionTransport: GatewayTransport {
    private let session: URLSession
    private let exchanges = Exchanges()

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 1
        // Applies while the app is suspended, when no other deadline does.
        configuration.timeoutIntervalForResource = 120
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request. An answer above 1 MiB counts as missing.
    public func send(_ call: HTTPCall) async -> GatewayAnswer {
        var request = URLRequest(url: call.url, timeoutInterval: call.timeout)
        request.httpMethod = call.method
        request.httpBody = call.body
        for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: request)
        // The timeout of a request restarts with each received byte.
        let deadline = Task {
            if (try? await Task.sleep(for: .seconds(call.timeout))) != nil { task.cancel() }
        }
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.begin(task, continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// The requests in progress. Guarded by its lock.
private final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Exchange {
        let continuation: CheckedContinuation<GatewayAnswer, Never>
        var body = Data()
    }

    private static let longestBody = 1 << 20

    private let lock = NSLock()
    private var exchanges: [Int: Exchange] = [:]

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<GatewayAnswer, Never>) {
        lock.withLock { exchanges[task.taskIdentifier] = Exchange(continuation: continuation) }
    }

    /// Refuses redirects, because the keys must reach only the gateway.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock {
            guard let length = exchanges[dataTask.taskIdentifier]?.body.count else { return false }
            guard length + data.count <= Exchanges.longestBody else { return true }
            exchanges[dataTask.taskIdentifier]?.body.append(data)
            return false
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = lock.withLock({ exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.continuation.resume(returning: Exchanges.answer(task.response, exchange.body, error))
    }

    private static func answer(_ response: URLResponse?, _ body: Data, _ error: (any Error)?) -> GatewayAnswer {
        if let error {
            return (error as? URLError).map { neverSent.contains($0.code) } == true ? .notSent : .unanswered
        }
        guard let response = response as? HTTPURLResponse else { return .unanswered }
        let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
        return .answered(
            status: response.statusCode, retryAfter: retryAfter.flatMap { RetryAfter.seconds($0, now: Date()) },
            body: body)
    }
}

/// Errors that occur before a request is written.
private let neverSent: Set<URLError.Code> = [
    .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .dataNotAllowed,
    .internationalRoamingOff, .callIsActive, .secureConnectionFailed, .serverCertificateUntrusted,
    .serverCertificateHasBadDate, .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot,
]
