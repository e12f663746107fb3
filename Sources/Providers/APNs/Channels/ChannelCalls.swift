public import APNsCore
import Connecting
import HTTPCalls
public import PushClient
public import Reactor
import TimeCore

/// Creates, deletes and lists the broadcast channels of one app, over its own connection, which is closed when idle. It
/// shares the authorization of a push client with the same key.
///
/// Confined to its reactor, except `init`, `ask` and `close`.
public final class ChannelCalls: @unchecked Sendable {
    private let bundleIdentifier: String
    /// `https://host[:port]`.
    private let url: String
    private let reactor: Reactor
    private let client: CallClient
    private let authorization: any AuthorizationSource
    /// Calls that wait for a provider token.
    private var waiting: [() -> Void] = []

    /// The deadline of a call, including the connection. It applies again after a renewal of the token.
    static let deadline = TimeInterval.seconds(5)

    /// Reads the trusted certificates; opens no connection.
    /// - Parameters:
    ///   - options: The options of the app's push client, with the URL for channel management.
    ///   - authorization: The push client's authorization, on the same reactor.
    public init(
        _ options: PushClientOptions, bundleIdentifier: String, authorization: any AuthorizationSource,
        on reactor: Reactor
    ) throws(PushConfigurationError) {
        self.bundleIdentifier = bundleIdentifier
        self.reactor = reactor
        self.authorization = authorization
        do {
            url = "https://\(try ProviderURL(options.url).authority)"
        } catch {
            throw .url(options.url, reason: error.reason)
        }
        // Shorter than a call's deadline: what failed to connect is known not to have been processed.
        var options = options
        options.connectTimeout = min(options.connectTimeout, .seconds(4))
        client = try CallClient(options)
        reactor.execute { [weak self] in
            self?.authorization.whenSettled { change in
                // A connection belongs to one credential.
                if change == .otherCredential { self?.client.leaveConnections() }
                self?.tokenSettled()
            }
        }
    }

    /// Sends a request and returns its answer. From any thread.
    public func ask(_ request: ChannelRequest) async -> ChannelAnswer {
        await reactor.call(stopped: .later("shut down", after: .zero)) { [self] done in
            begin(ChannelCall(request, done))
        }
    }

    /// Ends calls in progress; later calls fail. From any thread.
    public func close() {
        client.close()
        reactor.execute { [self] in tokenSettled() }
    }

    private func begin(_ call: ChannelCall) {
        assert(reactor.isOnReactor)
        authorization.refresh()
        if let token = authorization.usable { return send(call, token) }
        guard waiting.count < Self.maximumWaiting else {
            return call.end(.later("no provider token", after: .zero))
        }
        let patience = reactor.schedule(after: Self.deadline) {
            call.end(.later("no provider token", after: .zero))
        }
        waiting.append { [weak self] in
            guard let self, !call.isOver else { return }
            reactor.cancel(patience)
            guard let token = authorization.usable else {
                return call.end(.later(authorization.failure ?? "no provider token", after: .zero))
            }
            send(call, token)
        }
    }

    private static let maximumWaiting = 64

    private func tokenSettled() {
        let calls = waiting
        waiting = []
        for call in calls { call() }
    }

    private func send(_ call: ChannelCall, _ token: AuthorizationValue) {
        let request = call.request
        var fields = [("authorization", String(decoding: token.bytes, as: UTF8.self))]
        if let channel = request.channel { fields.append((ChannelRequest.channelField, channel)) }
        if !request.body.isEmpty { fields.append(("content-type", "application/json")) }
        let method = HTTPCall.Method(rawValue: request.method) ?? .get
        let sent = HTTPCall(
            method, url + request.path(bundleIdentifier: bundleIdentifier), fields: fields, body: request.body)
        client.call(sent, deadline: Self.deadline, on: reactor) { [weak self] result in
            let answer = ChannelAnswer(to: request, result)
            guard answer == .tokenExpired, !call.isRepeated, let self else { return call.end(answer) }
            call.isRepeated = true
            authorization.expiryReported(epoch: token.epoch)
            begin(call)
        }
    }
}

/// A call until its end, which occurs once.
private final class ChannelCall {
    let request: ChannelRequest
    var isRepeated = false
    private var completion: ((ChannelAnswer) -> Void)?

    init(_ request: ChannelRequest, _ completion: @escaping (ChannelAnswer) -> Void) {
        self.request = request
        self.completion = completion
    }

    var isOver: Bool { completion == nil }

    func end(_ answer: ChannelAnswer) {
        let completion = completion
        self.completion = nil
        completion?(answer)
    }
}

extension ChannelAnswer {
    fileprivate init(to request: ChannelRequest, _ result: Result<HTTPAnswer, HTTPCallFailure>) {
        switch result {
        case .success(let answer):
            self.init(
                to: request, status: answer.status, channel: answer[field: ChannelRequest.channelField],
                body: answer.body, retryAfter: answer.retryAfter)
        case .failure(let failure):
            self =
                failure.mayHaveBeenProcessed
                ? .unanswered(failure.description) : .later(failure.description, after: .zero)
        }
    }
}
