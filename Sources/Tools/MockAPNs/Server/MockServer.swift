import Glibc
import Reactor
import TLS
import TimeCore

/// All that lives on the mock's reactor: connections, memories, the script at work. Confined to the reactor, but for the
/// constants.
final class MockServer: @unchecked Sendable {
    let options: MockAPNs.Options
    let reactor: Reactor
    let journal: Journal
    let callbacks: HTTP2Callbacks
    let headerChecks: HeaderChecks
    let tlsContext: TLSContext

    var runner: ScriptRunner
    var scriptGeneration = 0
    /// What the script was read from; nil when it was not read.
    private(set) var scriptText: [UInt8]? = Array("{}\n".utf8)
    var providerTokens: ProviderTokenMemory
    var payloads = PayloadMemory()
    var random: SplitMix64
    var listener: Listener?
    var admission = MockScript.Admission()
    var admissionTimer: ReactorTimer?
    var connections: [Int: ServerConnection] = [:]
    var stalled: [Int: StalledConnection] = [:]
    var connectionsBegun = 0
    /// For the connections to gather frames in, one after another.
    let outputBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    private var delayed = DelayedAnswers()
    private var delayTimer: (at: MonotonicTime, timer: ReactorTimer)?
    private static let maximumDelayed = 1_000_000

    init(options: MockAPNs.Options, credentials: Credentials, reactor: Reactor, journal: Journal) throws {
        self.options = options
        self.reactor = reactor
        self.journal = journal
        callbacks = try HTTP2Callbacks()
        headerChecks = HeaderChecks(bundleID: options.bundleID)
        tlsContext = try TLSContext.server(
            certificateChainFile: credentials.certificateFile, privateKeyFile: credentials.certificateKeyFile,
            applicationProtocol: "h2", requiresNegotiation: false)
        runner = ScriptRunner(script: MockScript(), seed: options.seed)
        random = SplitMix64(state: options.seed ^ 0x6170_6E73)
        providerTokens = ProviderTokenMemory(
            verifier: ProviderTokenVerifier(
                key: credentials.signingKey, keyID: options.keyID, teamID: options.teamID))
    }

    deinit {
        outputBuffer.deallocate()
    }

    /// The options' settings with the script's changes.
    var settings: MockAPNs.Options {
        var settings = options
        let script = runner.script
        settings.initialWindowSize = script.initialWindowSize ?? settings.initialWindowSize
        settings.maxFrameSize = script.maxFrameSize ?? settings.maxFrameSize
        settings.headerTableSize = script.headerTableSize ?? settings.headerTableSize
        return settings
    }

    /// The wall clock, in milliseconds since 1970.
    func epochMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    func scriptSet(_ script: MockScript, text: [UInt8]?) {
        assert(reactor.isOnReactor)
        scriptText = text
        runner = ScriptRunner(script: script, seed: options.seed)
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

    // MARK: Pushes

    /// Decides about a complete request, writes it down, and returns how long the outcome is to wait.
    func process(_ stream: RequestStream, on connection: ServerConnection) -> TimeInterval {
        let payload = payloads.entry(
            for: stream.payload, stream.pushType ?? .liveActivity, checks: options.checksPayload)
        if let rejection = payload.verdict.rejection { stream.rejections.insert(rejection) }
        let event = payload.verdict.event
        if stream.isNobodys {
            // Not counted anywhere: neither in the ledger nor among the pushes, and no rule counts it.
            stream.outcome = runner.decideForNobody(rejection: stream.rejections.first)
            journal.count { $0.pushesToNobody += 1 }
            return .zero
        }
        let decision = runner.decide(
            token: stream.token, type: stream.pushType, event: event, connection: Int(connection.number),
            rejection: stream.rejections.first)
        stream.outcome = decision.outcome
        let record =
            journal.keepsEntries
            ? self.record(stream, payload.payload, event, connection, wasSent: decision.delay == .zero) : nil
        stream.recordIndex = journal.recordPush(record) { [type = stream.pushType] in
            $0.add(decision.outcome, type: type, event: event)
        }
        return decision.delay
    }

    func recordUnprocessed(_ stream: RequestStream, on connection: ServerConnection) {
        let record =
            journal.keepsEntries
            ? self.record(stream, Array(stream.payload[...]), nil, connection, wasSent: false) : nil
        journal.recordUnprocessed(record)
    }

    private func record(
        _ stream: RequestStream, _ payload: [UInt8], _ event: MockPushEvent?, _ connection: ServerConnection,
        wasSent: Bool
    ) -> Ledger.Record {
        var answer: Answer?
        var resetCode: UInt32?
        switch stream.outcome {
        case .answer(let decided): answer = decided
        case .reset(let code): resetCode = code
        default: break
        }
        return Ledger.Record(
            time: UInt64(max(0, epochMilliseconds())), headers: Array(stream.headers.bytes[...]),
            authorization: stream.providerToken?.header ?? [], payload: payload, pushType: stream.pushType,
            event: event, answer: answer,
            resetCode: resetCode, wasSent: wasSent && answer != nil, connection: connection.number, stream: stream.id)
    }

    // MARK: Delays

    func delay(_ stream: RequestStream, on connection: ServerConnection, by interval: TimeInterval) {
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

extension MockCounts {
    mutating func add(_ outcome: PushDecision.Outcome, type: MockPushType?, event: MockPushEvent?) {
        pushes += 1
        if let type { pushesByType[type, default: 0] += 1 }
        if let event { pushesByEvent[event, default: 0] += 1 }
        switch outcome {
        case .answer(let answer):
            answersByStatus[answer.status, default: 0] += 1
            if answer.status == 200 { accepted += 1 }
            if let reason = answer.reason { answersByReason[reason, default: 0] += 1 }
        case .silence: silenced += 1
        case .reset: streamsReset += 1
        case .close: pushesWithConnectionClosed += 1
        }
    }
}
