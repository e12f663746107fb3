import AsyncHTTPClient
public import Encodings
import NIOCore
import NIOHTTP1
import NIOSSL
public import Reactor
public import TimeCore

/// Makes rare calls and reads the answers whole, over HTTP/2 or HTTP/1.1, as the server offers. It verifies
/// certificates, follows no redirect and requests nothing compressed.
///
/// Every call ends once, by its deadline at the latest. A call whose stream the server refuses or cancels is sent
/// again, at most three times. Callers must therefore bear that it is carried out twice. All other failures go to the
/// caller. After a call without an answer, and after an answer that blames the server, the client uses other
/// connections.
public final class CallClient: Sendable {
    /// Bounds and routes.
    public struct Options: Sendable {
        /// A PEM file whose certificates are the only roots; nil for the system's.
        public var caFile: String?
        /// The HTTP proxy; nil for direct connections.
        public var proxy: ProxyURL?
        /// The timeout of a connection.
        public var connectTimeout = TimeInterval.seconds(5)
        /// The most bytes of an answer's body. A call with a longer answer fails.
        public var bodyLimit = 1 << 20
        /// The time without calls after which a connection is closed.
        public var idleTime = TimeInterval.seconds(120)

        public init(caFile: String? = nil) {
            self.caFile = caFile
        }
    }

    /// The connections of a time. They are closed after the last call that uses them.
    private struct State {
        var current: HTTPClient?
        var calls: [ObjectIdentifier: Int] = [:]
        var isClosed = false
    }

    private let configuration: HTTPClient.Configuration
    private let bodyLimit: Int
    private let state = Locked(State())

    /// Reads the trusted certificates; opens no connection. Throws if they cannot be read.
    public init(_ options: Options) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = options.caFile { tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file)) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2
        configuration.connectionPool.idleTimeout = TimeAmount(options.idleTime)
        configuration.timeout.connect = TimeAmount(options.connectTimeout)
        configuration.tracing.tracer = nil
        if let proxy = options.proxy {
            configuration.proxy = .server(
                host: proxy.host, port: Int(proxy.port),
                authorization: proxy.credentials.map { .basic(credentials: $0) })
        }
        self.configuration = configuration
        bodyLimit = options.bodyLimit
    }

    deinit {
        if let client = state.withLock({ $0.current }) { CallClient.shutDown(client) }
    }

    /// Makes a call.
    /// - Parameter deadline: from now to the end of the answer, with the time that it takes to connect.
    public func call(
        _ call: HTTPCall, deadline: TimeInterval
    ) async -> Result<HTTPAnswer, HTTPCallFailure> {
        await first(by: deadline) {
            for _ in 0..<CallClient.refusalLimit {
                let result = await self.attempt(call)
                guard case .failure(let failure) = result, failure.kind == .refused else { return result }
            }
            return await self.attempt(call)
        }
    }

    /// The most times that a call is sent again.
    private static let refusalLimit = 3

    /// Makes a call for a reactor's thread.
    /// - Parameter completion: called once on the reactor, unless that has stopped.
    public func call(
        _ call: HTTPCall, deadline: TimeInterval, on reactor: Reactor,
        completion: @escaping (Result<HTTPAnswer, HTTPCallFailure>) -> Void
    ) {
        assert(reactor.isOnReactor)
        // Confined to the reactor.
        nonisolated(unsafe) let completion = completion
        Task {
            let result = await self.call(call, deadline: deadline)
            reactor.execute { completion(result) }
        }
    }

    /// Later calls use other connections.
    public func leaveConnections() {
        if let client = state.withLock({ $0.current }) { leave(client) }
    }

    /// Ends the calls under way, and closes the connections. Later calls fail.
    public func close() {
        let client = state.withLock { state in
            state.isClosed = true
            defer { state.current = nil }
            return state.current
        }
        if let client { CallClient.shutDown(client) }
    }

    // MARK: Connections

    /// Returns the current connections for a call; nil after the end.
    private func enter() -> HTTPClient? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let client = state.current ?? HTTPClient(configuration: configuration)
            state.current = client
            state.calls[ObjectIdentifier(client), default: 0] += 1
            return client
        }
    }

    private func exit(_ client: HTTPClient) {
        let isUnused = state.withLock { state in
            let others = (state.calls.removeValue(forKey: ObjectIdentifier(client)) ?? 1) - 1
            if others > 0 { state.calls[ObjectIdentifier(client)] = others }
            return others == 0 && state.current !== client && !state.isClosed
        }
        if isUnused { CallClient.shutDown(client) }
    }

    private func leave(_ client: HTTPClient) {
        let isUnused = state.withLock { state in
            guard state.current === client else { return false }
            state.current = nil
            return state.calls[ObjectIdentifier(client)] == nil
        }
        if isUnused { CallClient.shutDown(client) }
    }

    /// The end is not waited for: a connection lasts until the server closes it, if that has sent GOAWAY.
    private static func shutDown(_ client: HTTPClient) {
        Task { try? await client.shutdown() }
    }

    // MARK: A call

    private func attempt(_ call: HTTPCall) async -> Result<HTTPAnswer, HTTPCallFailure> {
        guard let client = enter() else { return .failure(.closed(wasSent: false)) }
        defer { exit(client) }
        let result = await exchange(call, over: client)
        switch result {
        case .success(let answer) where CallClient.blamesServer(answer.status): leave(client)
        case .failure(let failure) where failure.kind != .tooLong: leave(client)
        default: break
        }
        return result
    }

    private func exchange(_ call: HTTPCall, over client: HTTPClient) async -> Result<HTTPAnswer, HTTPCallFailure> {
        var request = HTTPClientRequest(url: call.url)
        request.method = HTTPMethod(rawValue: call.method.rawValue)
        request.headers = call.headers
        if !call.body.isEmpty { request.body = .bytes(call.body) }
        do {
            // The client's own deadline ends with the head of the answer.
            let response = try await client.execute(request, deadline: .distantFuture)
            let status = UInt16(response.status.code)
            let body = call.readsBody(status) ? try await response.body.collect(upTo: bodyLimit) : ByteBuffer()
            return .success(
                HTTPAnswer(
                    status: status, body: Array(body.readableBytesView), headers: response.headers, now: .now()))
        } catch {
            let isEnded = Task.isCancelled || state.withLock { $0.isClosed }
            return .failure(isEnded ? .closed(wasSent: true) : HTTPCallFailure(error, bodyLimit: bodyLimit))
        }
    }

    /// Returns the result of `body`, or a failure when the deadline comes first or the task is cancelled.
    private func first(
        by deadline: TimeInterval, _ body: @escaping @Sendable () async -> Result<HTTPAnswer, HTTPCallFailure>
    ) async -> Result<HTTPAnswer, HTTPCallFailure> {
        await withTaskGroup(of: Result<HTTPAnswer, HTTPCallFailure>.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try? await Task.sleep(for: deadline.duration)
                return .failure(.late)
            }
            let first = await group.next() ?? .failure(.late)
            group.cancelAll()
            return first
        }
    }

    /// True if another server may answer otherwise: 421 (RFC 9110, section 15.5.20) or a server error.
    private static func blamesServer(_ status: UInt16) -> Bool { status >= 500 || status == 421 }
}

extension TimeAmount {
    fileprivate init(_ time: TimeInterval) { self = .nanoseconds(Int64(clamping: time.nanoseconds)) }
}
