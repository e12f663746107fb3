import Reactor
import TLS
import TimeCore

/// A port that speaks HTTP/2 over TLS, with its connections and their script. The service interprets the requests.
/// Confined to the reactor, except constants.
package final class MockServer: @unchecked Sendable {
    let service: any MockService
    let options: ServerOptions
    let reactor: Reactor
    let journal: Journal
    let callbacks: HTTP2Callbacks
    let tlsContext: TLSContext
    let fieldNames: FieldNames
    let maximumBodyLength: Int

    private(set) var script = ConnectionScript()
    var goAways = GoAwayBudget(nil)
    var scriptGeneration = 0
    /// The source of the script; nil if the script was set without text.
    private(set) var scriptText: [UInt8]? = Array("{}\n".utf8)
    var authorizations = KnownAuthorizations()
    var listener: Listener?
    var admission = ConnectionScript.Admission()
    var admissionTimer: ReactorTimer?
    var connections: [Int: ServerConnection] = [:]
    var stalled: [Int: StalledConnection] = [:]
    var connectionsBegun = 0
    /// A buffer in which the connections gather frames, one connection at a time.
    let outputBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    private var delayed = DelayedAnswers()
    private var delayTimer: (at: MonotonicTime, timer: ReactorTimer)?
    private static let maximumDelayed = 1_000_000

    package init(
        _ service: any MockService, options: ServerOptions, identity: ServerIdentity, reactor: Reactor, journal: Journal
    ) throws {
        self.service = service
        self.options = options
        self.reactor = reactor
        self.journal = journal
        callbacks = try HTTP2Callbacks()
        tlsContext = try identity.tlsContext(
            alternative: service.speaksHTTP1 ? ServerConnection.http1 : nil)
        fieldNames = service.fieldNames
        maximumBodyLength = service.maximumBodyLength
    }

    deinit {
        outputBuffer.deallocate()
    }

    /// The settings of the options with the script's overrides.
    var settings: ServerOptions {
        var settings = options
        settings.initialWindowSize = script.initialWindowSize ?? settings.initialWindowSize
        settings.maxFrameSize = script.maxFrameSize ?? settings.maxFrameSize
        settings.headerTableSize = script.headerTableSize ?? settings.headerTableSize
        return settings
    }

    /// - Parameter text: The source of the script, if it has one.
    func scriptSet(_ script: ConnectionScript, text: [UInt8]?) {
        assert(reactor.isOnReactor)
        scriptText = text
        self.script = script
        goAways = GoAwayBudget(script.goAway)
        scriptGeneration += 1
        admissionSet(script.connections)
    }

    func stop() {
        if let admissionTimer { reactor.cancel(admissionTimer) }
        if let delayTimer { reactor.cancel(delayTimer.timer) }
        listener?.close()
        listener = nil
        for connection in Array(connections.values) { connection.close(abruptly: true) }
        for connection in Array(stalled.values) { connection.close() }
        stalled = [:]
    }

    // MARK: Requests

    /// Lets the service decide on a complete request and records it. Returns the delay of the outcome.
    func process(_ request: MockRequest, on connection: ServerConnection) -> TimeInterval {
        let decision = service.decide(request)
        request.outcome = decision.outcome
        request.hasValidCredential = decision.hasValidCredential
        if decision.isAside {
            journal.count { $0.asideByMark[decision.mark, default: 0] += 1 }
            return decision.delay
        }
        connection.requests += 1
        let record = journal.keepsEntries ? self.record(request, decision) : nil
        request.recordIndex = journal.recordRequest(record) { $0.add(decision) }
        return decision.delay
    }

    func recordUnprocessed(_ request: MockRequest) {
        guard journal.keepsEntries else { return journal.recordUnprocessed(nil) }
        var decision = MockDecision(.silence)
        decision.mark = service.mark(ofUnprocessed: request)
        journal.recordUnprocessed(record(request, decision))
    }

    private func record(_ request: MockRequest, _ decision: MockDecision) -> Ledger.Record {
        var answer: Answer?
        var resetCode: UInt32?
        switch decision.outcome {
        case .answer(let decided): answer = decided
        case .reset(let code): resetCode = code
        case .silence, .close: break
        }
        return Ledger.Record(
            time: UInt64(max(0, options.clock())), fields: Array(request.fields.bytes[...]),
            authorization: request.authorization?.value ?? [], body: decision.keptBody ?? Array(request.body[...]),
            mark: decision.mark, note: decision.note, answer: answer, resetCode: resetCode,
            wasSent: decision.delay == .zero && answer != nil, connection: request.connection, stream: request.id)
    }

    // MARK: Delays

    func delay(_ stream: MockRequest, on connection: ServerConnection, by interval: TimeInterval) {
        guard delayed.count < Self.maximumDelayed else { return connection.carryOut(stream) }
        delayed.insert(at: MonotonicTime.now() + interval, connection: connection.number, stream: stream.id)
        armDelayTimer()
    }

    private func armDelayTimer() {
        guard let earliest = delayed.earliest else { return }
        if let delayTimer {
            if delayTimer.at <= earliest { return }
            reactor.cancel(delayTimer.timer)
        }
        let timer = reactor.schedule(at: earliest) { [weak self] in self?.delaysDue() }
        delayTimer = (earliest, timer)
    }

    private func delaysDue() {
        delayTimer = nil
        while let entry = delayed.popDue(reactor.now) {
            connections[entry.connection]?.answerDue(stream: entry.stream)
        }
        armDelayTimer()
    }
}
