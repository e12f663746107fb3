import LiveActivity
import MockKit
import TimeCore

/// What APNs makes of a request: one push to one device. Confined to the reactor of its server, but for what is said to
/// be for any thread.
final class APNsService: ScriptedService, @unchecked Sendable {
    let fieldNames = HeaderName.all
    let maximumBodyLength = PayloadChecks.maximumLength
    let ownFieldName: StaticString? = "apns-id"

    private let options: MockAPNs.Options
    private let headerChecks: HeaderChecks
    private var runner: ScriptRunner
    /// Those of the request at hand.
    private var headers = PushHeaders()
    private var providerTokens: ProviderTokens
    private var payloads = PayloadMemory()
    private var random: SplitMix64

    init(options: MockAPNs.Options, signingKey: PrivateKey) {
        self.options = options
        headerChecks = HeaderChecks(bundleID: options.bundleID)
        runner = ScriptRunner(script: MockScript(), seed: options.seed)
        random = SplitMix64(state: options.seed ^ 0x6170_6E73)
        providerTokens = ProviderTokens(
            ProviderTokenVerifier(key: signingKey, keyID: options.keyID, teamID: options.teamID))
    }

    func scriptSet(_ script: MockScript) {
        runner = ScriptRunner(script: script, seed: options.seed)
    }

    func decide(_ request: MockRequest) -> MockDecision {
        request.assertOnReactor()
        headers.read(request, headerChecks) { identifier in
            guard let base = identifier.baseAddress else { return }
            request.ownValue.update(from: base, count: identifier.count)
            request.ownValueLength = identifier.count
        }
        if request.ownValueLength == 0 {
            RandomIdentifier.write(to: request.ownValue, &random)
            request.ownValueLength = RandomIdentifier.length
        }
        let hasValidToken = checkProviderToken(request)
        let type = headers.pushType
        let payload = payloads.entry(for: request.body, type ?? .liveActivity, checks: options.checksPayload)
        if let rejection = payload.verdict.rejection { headers.insert(rejection) }
        var decision = decide(payload.verdict.event, request.connection)
        decision.mark = PushMark(type, payload.verdict.event).number
        decision.hasValidCredential = hasValidToken
        decision.keptBody = payload.payload
        return decision
    }

    private func decide(_ event: MockPushEvent?, _ connection: Int) -> MockDecision {
        let rejection = headers.rejections.first
        if headers.isNobodys {
            // Not counted among the pushes, and no rule counts it.
            var decision = MockDecision(runner.decideForNobody(rejection: rejection))
            decision.isAside = true
            return decision
        }
        return runner.decide(
            token: headers.token, type: headers.pushType, event: event, connection: connection, rejection: rejection)
    }

    /// Whether it has a provider token that is good; notes what is wrong with it.
    private func checkProviderToken(_ request: MockRequest) -> Bool {
        guard let authorization = request.authorization else { return false }
        let rejection = providerTokens.rejection(
            authorization, connection: request.connection, runner.script.providerTokens,
            epochSeconds: options.clock() / 1_000, now: MonotonicTime.now())
        if let rejection { headers.insert(rejection) }
        return rejection == nil
    }

    func mark(ofUnprocessed request: MockRequest) -> UInt16 {
        headers.read(request, headerChecks) { _ in }
        return PushMark(headers.pushType, nil).number
    }

    func goAwayText(_ reason: String) -> [UInt8] { Answer.body(reason) }

    func connectionEnded(_ number: Int) { providerTokens.connectionEnded(number) }

    // MARK: Any thread

    func ledgerLine(_ record: Ledger.Record) -> [UInt8] {
        LedgerFile.line(record, HeaderName.all, bodyName: "payload") {
            $0.field("push_type", PushMark(record.mark).type?.rawValue)
        }
    }

    func countsText(_ counts: ServerCounts) -> [UInt8] { MockCounts(counts).json }
}
