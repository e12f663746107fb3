import LiveActivity
import MockKit
import Reactor
import TimeCore

/// The APNs endpoint for channel management. Confined to the reactor of its server.
final class ChannelService: MockService, @unchecked Sendable {
    let fieldNames = HeaderName.all
    let maximumBodyLength = 4_096
    let ownFieldName: StaticString? = "apns-request-id"

    private let options: MockAPNs.Options
    private let headerChecks: HeaderChecks
    private let register: Locked<ChannelRegister>
    private var mainJournal: Journal?
    private var runner: ScriptRunner
    private var providerTokens: ProviderTokens
    private var random: SplitMix64

    init(options: MockAPNs.Options, verifier: ProviderTokenVerifier, register: Locked<ChannelRegister>) {
        self.options = options
        self.register = register
        headerChecks = HeaderChecks(bundleID: options.bundleID)
        runner = ScriptRunner(script: MockScript(), seed: options.seed)
        random = SplitMix64(state: options.seed ^ 0x6368_616E)
        providerTokens = ProviderTokens(verifier)
    }

    /// Sets the main port's journal, which also counts the calls. Call it before the first request.
    func counts(in journal: Journal) {
        mainJournal = journal
    }

    func scriptSet(_ script: MockScript) {
        runner = ScriptRunner(script: script.forChannelCalls, seed: options.seed)
    }

    func goAwayText(_ reason: String) -> [UInt8] { Answer.body(reason) }

    func connectionEnded(_ number: Int) { providerTokens.connectionEnded(number) }

    func decide(_ request: MockRequest) -> MockDecision {
        request.assertOnReactor()
        var headers = ChannelHeaders(request, headerChecks)
        request.setIdentifier(headers.requestIdentifier, &random)
        let path = ChannelPath(headers.path)
        let call = path?.call(method: headers.method)
        check(path, call, &headers)
        let isCredentialGood = checkProviderToken(request, &headers)
        let creation = call == .create ? Result { () throws(Rejection) in try ChannelRequest(request.body) } : nil
        if case .failure(let rejection) = creation { headers.insert(rejection) }
        let rejection = headers.rejections.first ?? call.flatMap { self.rejection($0, headers.channel) }
        var decision = runner.decide(
            RuleSubject(event: call.map { MockRule.Event($0) }), connection: request.connection, rejection: rejection)
        var isCarriedOut = false
        if rejection == nil, let call, decision.outcome.isCarriedOut {
            let answer = carryOut(call, headers.channel ?? "", try? creation?.get())
            if case .answer = decision.outcome { decision.outcome = .answer(answer) }
            isCarriedOut = true
        }
        decision.mark = ChannelCallMark(call, isCarriedOut: isCarriedOut).number
        decision.hasValidCredential = isCredentialGood
        let mark = decision.mark
        mainJournal?.count { $0.asideByMark[mark, default: 0] += 1 }
        return decision
    }

    // MARK: Checks

    private func check(_ path: ChannelPath?, _ call: MockChannelCall?, _ headers: inout ChannelHeaders) {
        guard let path else { return headers.insert(.badPath) }
        guard let call else { return headers.insert(.methodNotAllowed) }
        if !runner.script.channels.isEnabled { headers.insert(.featureNotEnabled) }
        if !headerChecks.isOurApp(path.bundle) { headers.insert(.topicMismatch) }
        if call == .read || call == .delete, headers.channel == nil { headers.insert(.missingChannelID) }
    }

    private func checkProviderToken(_ request: MockRequest, _ headers: inout ChannelHeaders) -> Bool {
        guard let authorization = request.authorization else { return false }
        let rejection = providerTokens.rejection(
            authorization, connection: request.connection, runner.script.providerTokens,
            epochSeconds: options.clock() / 1_000, now: MonotonicTime.now())
        if let rejection { headers.insert(rejection) }
        return rejection == nil
    }

    private func rejection(_ call: MockChannelCall, _ channel: String?) -> Rejection? {
        register.withLock { register in
            switch call {
            case .create:
                register.channels.count < runner.script.channels.limit ? nil : .cannotCreateChannelConfig
            case .read, .delete: register.channels[channel ?? ""] == nil ? .channelNotRegistered : nil
            case .list: nil
            }
        }
    }

    // MARK: Calls

    private func carryOut(_ call: MockChannelCall, _ channel: String, _ creation: ChannelRequest?) -> Answer {
        switch call {
        case .create:
            let identifier = ChannelIdentifier.make(&random)
            let time = options.clock()
            register.withLock {
                $0.create(identifier, storesMessages: creation?.storesMessages ?? false, at: time)
            }
            return Answer(status: 201, reason: nil, fields: [("apns-channel-id", identifier)], body: [])
        case .read:
            let text = register.withLock { $0.channels[channel].map { ChannelRequest.text(of: $0) } ?? [] }
            return Answer(status: 200, reason: nil, fields: [], body: text)
        case .delete:
            _ = register.withLock { $0.delete(channel) }
            return Answer(status: 204, reason: nil, fields: [], body: [])
        case .list:
            let names = register.withLock { Array($0.channels.keys) }.sorted()
            let text = JSONWriter.object { $0.field("channels", names) }
            return Answer(status: 200, reason: nil, fields: [], body: text)
        }
    }
}

extension MockDecision.Outcome {
    /// True if the call takes effect, even when only its answer is lost.
    fileprivate var isCarriedOut: Bool {
        switch self {
        case .answer(let answer): answer.status == 200
        case .silence, .close: true
        case .reset: false
        }
    }
}
