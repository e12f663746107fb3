import LiveActivity
import MockKit
import Reactor
import TimeCore

extension APNsService {
    /// Decides on a push to a channel ("Sending broadcast push notification requests to APNs").
    func decidePublish(_ request: MockRequest) -> MockDecision {
        var headers = ChannelHeaders(request, headerChecks)
        request.ownName = "apns-request-id"
        request.setIdentifier(headers.requestIdentifier, &random)
        headers.checkPublish()
        if !runner.script.channels.isEnabled { headers.insert(.featureNotEnabled) }
        if let bundle = headers.path.split(separator: "/").last, !headerChecks.isOurApp(bundle) {
            headers.insert(.topicMismatch)
        }
        let tokenRejection = providerTokenRejection(request)
        if let tokenRejection { headers.insert(tokenRejection) }
        let verdict = verdict(request.body)
        if let rejection = verdict.rejection { headers.insert(rejection) }
        let channel = headers.channel ?? ""
        var decision = runner.decide(
            RuleSubject(type: headers.pushType, event: .publish), connection: request.connection,
            rejection: rejection(&headers, channel))
        decision.mark = PushMark(publish: verdict.event).number
        decision.hasValidCredential = request.authorization != nil && tokenRejection == nil
        let followers = register.withLock { $0.channels[channel]?.followers.count ?? 0 }
        decision.note = UInt32(clamping: followers)
        if decision.outcome.isAccepted {
            keep(request.body, headers, verdict, followers: followers)
            let fields: [(StaticString, String)] = [("apns-unique-id", RandomIdentifier.text(&random))]
            decision.outcome = .answer(Answer(status: 200, reason: nil, fields: fields, body: []))
        }
        return decision
    }

    /// Checks the payload. A push to a channel cannot start an activity.
    private func verdict(_ payload: [UInt8]) -> PayloadVerdict {
        var verdict = PayloadChecks.verdict(
            payload, .liveActivity, maximumLength: PayloadChecks.maximumLengthForChannels)
        if verdict.event == .start { verdict.rejection = verdict.rejection ?? .badPayload }
        if !options.checksPayload, verdict.rejection == .badPayload { verdict.rejection = nil }
        return verdict
    }

    private func rejection(_ headers: inout ChannelHeaders, _ channel: String) -> Rejection? {
        let (rules, now) = (runner.script.channels, MonotonicTime.now())
        if let expiration = headers.expiration, headers.channel != nil,
            let rejection = register.withLock({ $0.rejection(ofPublishTo: channel, expiration: expiration) })
        {
            headers.insert(rejection)
        }
        if let rejection = headers.rejections.first { return rejection }
        return register.withLock { $0.takesPublish(to: channel, rules, now: now) } ? nil : .tooManyRequests
    }

    private func keep(_ payload: [UInt8], _ headers: ChannelHeaders, _ verdict: PayloadVerdict, followers: Int) {
        let publish = MockPublish(
            time: options.clock(), payload: Array(payload[...]),
            priority: Int((headers.priority ?? .immediate).rawValue), expiration: headers.expiration ?? 0,
            event: verdict.event, timestamp: verdict.timestamp, followers: followers)
        let channel = headers.channel ?? ""
        register.withLock { $0.published(publish, to: channel) }
    }
}

extension MockDecision.Outcome {
    /// True if the answer accepts the push.
    var isAccepted: Bool {
        if case .answer(let answer) = self { return answer.status == 200 }
        return false
    }
}
