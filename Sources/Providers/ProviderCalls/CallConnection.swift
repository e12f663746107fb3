import Connecting
import HTTP2Core
import Reactor
import TLS

/// One connection of a call client, from resolving the name to its end.
final class CallConnection: TLSConnectionDelegate {
    private let client: CallClient
    private var engine: HTTP2Connection
    private var attempt: ConnectionAttempt?
    private var transport: TLSConnection?
    /// Calls by tag, which is also the index of their template.
    private var calls: [UInt32: (call: PendingCall, stream: UInt32)] = [:]
    private(set) var isClosed = false

    init(_ client: CallClient) {
        self.client = client
        engine = HTTP2Connection(now: client.reactor.now, limits: client.answerLimits)
    }

    /// True if the connection is established.
    var isEstablished: Bool { transport != nil }
    /// The number of calls in progress.
    var count: Int { calls.count }
    /// True if the connection accepts another call now.
    var acceptsCalls: Bool { isEstablished && !isClosed && engine.acceptsStreams }
    /// True if the connection never accepts another call.
    var isFinished: Bool { isClosed || engine.isFinished }

    func start() {
        let attempt = ConnectionAttempt(client.connector) { [weak self] result in
            guard let self, !isClosed else { return }
            self.attempt = nil
            switch result {
            case .success(let connected):
                transport = connected.transport
                connected.transport.delegate = self
                client.connectionEstablished(self)
                flush()
            case .failure(let failure): client.connectionFailed(self, failure.reason)
            }
        }
        self.attempt = attempt
        attempt.start()
    }

    /// Sends a call; false if it is not accepted.
    func send(_ call: PendingCall) -> Bool {
        var tag: UInt32 = 0
        while calls[tag] != nil { tag += 1 }
        engine.setTemplate(call.request, at: Int(tag))
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let stream = engine.open(template: Int(tag), token: none, number: 0, tag: tag) else { return false }
        calls[tag] = (call, stream)
        call.connection = self
        return true
    }

    /// Cancels a call. Returns true if the provider may have processed it.
    func cancel(_ call: PendingCall) -> Bool {
        guard let (tag, entry) = calls.first(where: { $0.value.call === call }) else { return false }
        calls[tag] = nil
        let wasWritten = engine.cancel(entry.stream)
        flush()
        return wasWritten
    }

    /// Stops accepting calls.
    func goAway() {
        engine.goAway()
        flush()
    }

    /// Ends the connection without notifying the client.
    func close(abruptly: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        attempt?.stop()
        attempt = nil
        transport?.close(abruptly: abruptly)
        transport?.delegate = nil
    }

    /// Removes and returns the calls in progress.
    func takeCalls() -> [(call: PendingCall, isWritten: Bool)] {
        defer { calls = [:] }
        return calls.values.map { ($0.call, engine.isWritten($0.stream)) }
    }

    /// Calls are few and small, so the transport accepts all output at once; otherwise it ends.
    func flush() {
        while engine.output.count > 0, let transport, transport.send(engine.output) {
            engine.outputTaken(engine.output.count)
        }
    }

    // MARK: From the transport

    func connectionEstablished(_ connection: TLSConnection) {
        // The transport was established before its hand-over.
    }

    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        engine.receive(plaintext, now: client.reactor.now)
        var ended: [(call: PendingCall, result: Result<ProviderAnswer, ProviderCallFailure>?)] = []
        for event in engine.events { if let end = handle(event) { ended.append(end) } }
        engine.clearEvents()
        flush()
        for (call, result) in ended { client.callEnded(call, result) }
        guard !isClosed else { return }
        if let failure = engine.failure { return client.connectionFailed(self, failure.description) }
        client.connectionChanged(self)
    }

    /// Returns the call that the event ends, without a result if the provider did not process it.
    private func handle(
        _ event: HTTP2Event
    ) -> (call: PendingCall, result: Result<ProviderAnswer, ProviderCallFailure>?)? {
        switch event {
        case .accepted(let tag):
            return calls.removeValue(forKey: tag).map { ($0.call, .success(ProviderAnswer(status: 200))) }
        case .answered(let tag, let status, let index):
            let details = engine.takeDetails(index)
            guard let call = calls.removeValue(forKey: tag)?.call else { return nil }
            guard !details.isCutShort, details.body.count <= client.options.bodyLimit else {
                let reason =
                    details.body.count > client.options.bodyLimit
                    ? "the answer has more than \(client.options.bodyLimit) bytes" : "the answer was cut short"
                return (call, .failure(ProviderCallFailure(reason, mayHaveBeenProcessed: true)))
            }
            return (call, .success(ProviderAnswer(status: status, details)))
        case .reset(let tag, let errorCode):
            guard let call = calls.removeValue(forKey: tag)?.call else { return nil }
            if errorCode == HTTP2ErrorCode.refusedStream { return (call, nil) }
            let reason = "the provider reset the stream (error code \(errorCode))"
            return (call, .failure(ProviderCallFailure(reason, mayHaveBeenProcessed: true)))
        case .settings, .goAway, .pingAcknowledged: return nil
        }
    }

    func connectionDrained(_ connection: TLSConnection) {
        guard !isClosed else { return }
        flush()
    }

    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        guard !isClosed else { return }
        client.connectionFailed(self, end.description)
    }
}
