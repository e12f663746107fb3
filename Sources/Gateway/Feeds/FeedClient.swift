import AsyncHTTPClient
import FeedCore
import NIOCore
import NIOHTTP1
import NIOSSL
import Reactor
import TimeCore

/// Requests one feed. It verifies certificates, follows no redirect, and requests nothing compressed.
final class FeedClient: Sendable {
    private let options: FeedOptions
    private let configuration: HTTPClient.Configuration
    /// The first request opens the client.
    private enum State {
        case unused
        case open(HTTPClient)
        case closed
    }

    private let state = Locked(State.unused)

    /// The outcome of a request.
    enum Answer: Sendable {
        /// 304 or 204.
        case unchanged
        case whole([UInt8], tag: String?)
        /// - Parameters:
        ///   - retryAfter: the header field of that name.
        ///   - detail: for the log, where the kind does not say it all.
        case failed(FeedFailure, retryAfter: String? = nil, detail: String? = nil)
    }

    /// Throws when the file of certificates cannot be read.
    init(_ options: FeedOptions) throws {
        self.options = options
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = options.caFile { tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file)) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
        configuration.httpVersion = .http1Only
        // A poll that cannot connect has failed. The poller repeats it at its own time.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        configuration.timeout.connect = .nanoseconds(Int64(clamping: options.timeout.nanoseconds))
        configuration.tracing.tracer = nil
        self.configuration = configuration
    }

    /// Ends the request under way. Later requests fail.
    func close() async {
        let former = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .open(let client) = former { try? await client.shutdown() }
    }

    /// Requests the feed's content.
    /// - Parameter tag: the feed's tag of the known content, which is not sent again; nil for all.
    func get(after tag: String?) async -> Answer {
        let (answers, answer) = AsyncStream<Answer>.makeStream()
        let asking = Task { answer.yield(await ask(tag)) }
        // The client's own deadline ends with the head of the answer.
        let timer = Task {
            try? await Task.sleep(for: .nanoseconds(Int64(clamping: options.timeout.nanoseconds)))
            answer.yield(.failed(.timeout))
        }
        let first = await withTaskCancellationHandler {
            await answers.first { _ in true }
        } onCancel: {
            asking.cancel()
            timer.cancel()
        }
        asking.cancel()
        timer.cancel()
        return first ?? .failed(.timeout)
    }

    private func ask(_ tag: String?) async -> Answer {
        do {
            let client = try client()
            let response = try await client.execute(request(tag), deadline: .distantFuture)
            let status = FeedAnswer(status: Int(response.status.code), wasConditional: tag != nil)
            switch status {
            case .unchanged: return .unchanged
            case .failed(let failure):
                return .failed(
                    failure, retryAfter: response.headers.first(name: "retry-after"),
                    detail: "status \(response.status.code)")
            case .whole:
                let body = try await response.body.collect(upTo: options.maximumBytes)
                return .whole(Array(body.readableBytesView), tag: FeedClient.tag(response.headers))
            }
        } catch {
            return FeedClient.failure(error)
        }
    }

    private func client() throws -> HTTPClient {
        let open = state.withLock { state -> HTTPClient? in
            switch state {
            case .unused:
                let client = HTTPClient(configuration: configuration)
                state = .open(client)
                return client
            case .open(let client): return client
            case .closed: return nil
            }
        }
        guard let open else { throw CancellationError() }
        return open
    }

    private func request(_ tag: String?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: options.url)
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "user-agent", value: "fanfare")
        for field in options.headers.fields { request.headers.remove(name: field.name) }
        for field in options.headers.fields { request.headers.add(name: field.name, value: field.value) }
        if let tag { request.headers.add(name: "if-none-match", value: tag) }
        return request
    }

    private static let longestTag = 1024

    private static func tag(_ headers: HTTPHeaders) -> String? {
        guard let tag = headers.first(name: "etag"), (1...longestTag).contains(tag.utf8.count),
            tag.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return tag
    }

    private static let timeouts: [HTTPClientError] = [
        .connectTimeout, .readTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout, .cancelled,
    ]

    private static func failure(_ error: any Error) -> Answer {
        let detail = String(String(describing: error).prefix(200))
        switch error {
        case is NIOTooManyBytesError: return .failed(.tooLarge)
        case is CancellationError: return .failed(.timeout)
        case let error as HTTPClientError where timeouts.contains(error): return .failed(.timeout)
        case let error as HTTPClientError where error == .tlsHandshakeTimeout: return .failed(.tls, detail: detail)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: return .failed(.tls, detail: detail)
        default: return .failed(.connection, detail: detail)
        }
    }
}
