import LiveActivity
import MockKit
import Reactor
import TimeCore

/// The APNs endpoint for pushes to devices and channels. Confined to the reactor of its server, except members
/// documented for any thread.
final class APNsService: ScriptedService, @unchecked Sendable {
    let fieldNames = HeaderName.all
    let maximumBodyLength = PayloadChecks.maximumLengthForChannels
    let ownFieldName: StaticString? = "apns-id"

    /// The endpoint for channel management, under the same script.
    let channels: ChannelService
    let register: Locked<ChannelRegister>
    let options: MockAPNs.Options
    let headerChecks: HeaderChecks
    var runner: ScriptRunner
    /// The headers of the current request.
    private var headers = PushHeaders()
    private var providerTokens: ProviderTokens
    private var payloads = PayloadMemory()
    var random: SplitMix64

    init(options: MockAPNs.Options, credentials: Credentials, register: Locked<ChannelRegister>) {
        self.options = options
        self.register = register
        headerChecks = HeaderChecks(bundleID: options.bundleID)
        runner = ScriptRunner(script: MockScript(), seed: options.seed)
        random = SplitMix64(state: options.seed ^ 0x6170_6E73)
        let verifier = ProviderTokenVerifier(
            keys: [options.keyID: credentials.signingKey, options.secondKeyID: credentials.secondSigningKey],
            teamID: options.teamID)
        providerTokens = ProviderTokens(verifier)
        channels = ChannelService(options: options, verifier: verifier, register: register)
    }

    func scriptSet(_ script: MockScript) {
        runner = ScriptRunner(script: script.forPushes, seed: options.seed)
        channels.scriptSet(script)
    }

    func decide(_ request: MockRequest) -> MockDecision {
        request.assertOnReactor()
        headers.read(request, headerChecks) { identifier in
            guard let base = identifier.baseAddress else { return }
            request.ownValue.update(from: base, count: identifier.count)
            request.ownValueLength = identifier.count
        }
        if case .publish = headers.route { return decidePublish(request) }
        if request.ownValueLength == 0 {
            RandomIdentifier.write(to: request.ownValue, &random)
            request.ownValueLength = RandomIdentifier.length
        }
        let tokenRejection = providerTokenRejection(request)
        if let tokenRejection { headers.insert(tokenRejection) }
        let type = headers.pushType
        let payload = payloads.entry(for: request.body, type ?? .liveActivity, checks: options.checksPayload)
        if let rejection = payload.verdict.rejection { headers.insert(rejection) }
        var decision = decide(payload.verdict.event, request.connection)
        decision.note = noteOfStart(payload.verdict, decision)
        decision.mark = PushMark(type, payload.verdict.event).number
        decision.hasValidCredential = request.authorization != nil && tokenRejection == nil
        decision.keptBody = payload.payload
        return decision
    }

    private func decide(_ event: MockPushEvent?, _ connection: Int) -> MockDecision {
        let rejection = headers.rejections.first
        if headers.isNobodys {
            // Pushes to the zero token do not count as pushes or advance the rules.
            var decision = MockDecision(runner.decideForNobody(rejection: rejection))
            decision.isAside = true
            return decision
        }
        let subject = RuleSubject(
            token: headers.token, type: headers.pushType, event: event.map { MockRule.Event($0) })
        return runner.decide(subject, connection: connection, rejection: rejection)
    }

    /// Makes the device of an accepted start follow the named channel. Returns the ledger note.
    private func noteOfStart(_ verdict: PayloadVerdict, _ decision: MockDecision) -> UInt32 {
        guard let channel = verdict.channel, !decision.isAside, decision.outcome.isAccepted else { return 0 }
        let token = headers.token
        return register.withLock { $0.follow(channel, token: token) } ? 0 : LedgerEntry.unknownChannelNote
    }

    /// Returns the rejection of the provider token; nil if the token is valid or missing.
    func providerTokenRejection(_ request: MockRequest) -> Rejection? {
        guard let authorization = request.authorization else { return nil }
        return providerTokens.rejection(
            authorization, connection: request.connection, runner.script.providerTokens,
            epochSeconds: options.clock() / 1_000, now: MonotonicTime.now())
    }

    func mark(ofUnprocessed request: MockRequest) -> UInt16 {
        headers.read(request, headerChecks) { _ in }
        if case .publish = headers.route { return PushMark(publish: nil).number }
        return PushMark(headers.pushType, nil).number
    }

    func goAwayText(_ reason: String) -> [UInt8] { Answer.body(reason) }

    func connectionEnded(_ number: Int) { providerTokens.connectionEnded(number) }

    // MARK: Any thread

    func ledgerLine(_ record: Ledger.Record) -> [UInt8] {
        LedgerFile.line(record, HeaderName.all, bodyName: "payload") {
            let mark = PushMark(record.mark)
            $0.field("push_type", mark.type?.rawValue)
            if mark.isPublish {
                $0.field("followers", Int(record.note))
            } else if record.note == LedgerEntry.unknownChannelNote {
                $0.field("unknown_channel", true)
            }
        }
    }

    var pageNames: [String] { ["channels"] }

    func page(_ name: String) -> [UInt8]? {
        name == "channels" ? register.withLock { $0 }.json : nil
    }

    func countsText(_ counts: ServerCounts) -> [UInt8] { MockCounts(counts).json }
}
