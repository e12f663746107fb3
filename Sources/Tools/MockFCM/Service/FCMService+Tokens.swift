import LiveActivity
import MockKit
import TimeCore

extension FCMService {
    /// Decides on a request for an access token.
    func decideToken(_ request: MockRequest, isForm: Bool, _ now: Int64) -> MockDecision {
        let latency = runner.script.accessTokens.latency
        var decision: MockDecision
        do throws(TokenRefusal) {
            try tokenRequests.check(request.body, isForm: isForm, now: now / 1_000)
            if let rule = runner.tokenRule(connection: request.connection, now: now) {
                decision = follow(rule, now)
                decision.delay = runner.draw(rule.latency ?? latency)
            } else {
                decision = issue(now)
                decision.delay = runner.draw(latency)
            }
        } catch {
            decision = refuse(error, nil, now)
            decision.delay = runner.draw(latency)
        }
        decision.isAside = true
        return decision
    }

    private func follow(_ rule: MockFCM.TokenRule, _ now: Int64) -> MockDecision {
        var decision: MockDecision
        switch rule.action {
        case .accept: return issue(now)
        case .fault(let error, let retryAfter):
            return refuse(TokenRefusal(error, "the mock's script says so"), retryAfter, now)
        case .page(let status, let retryAfter):
            decision = MockDecision(.answer(answers.page(status, retryAfter: retryAfter, now: now)))
        case .silence: decision = MockDecision(.silence)
        case .reset(let code): decision = MockDecision(.reset(code: code))
        case .close(let abruptly): decision = MockDecision(.close(abruptly: abruptly))
        }
        decision.mark = RequestMark.tokenWithheld
        return decision
    }

    private func issue(_ now: Int64) -> MockDecision {
        let script = runner.script.accessTokens
        let expiry = now + Int64((script.validity ?? script.lifetime).inSeconds * 1_000)
        let token = accessTokens.issue(expiry: expiry, &random)
        let body = JSONWriter.object {
            $0.field("access_token", token)
            $0.field("expires_in", Int(script.lifetime.inSeconds))
            $0.field("token_type", "Bearer")
        }
        var decision = MockDecision(.answer(answers.token(status: 200, reason: nil, body, now: now)))
        decision.mark = RequestMark.tokenIssued
        decision.hasValidCredential = true
        return decision
    }

    private func refuse(
        _ refusal: TokenRefusal, _ retryAfter: MockFCM.RetryAfter?, _ now: Int64
    ) -> MockDecision {
        let body = JSONWriter.object {
            $0.field("error", refusal.error.rawValue)
            $0.field("error_description", refusal.description)
        }
        let answer = answers.token(
            status: refusal.error.status, reason: refusal.error.rawValue, body, retryAfter: retryAfter, now: now)
        var decision = MockDecision(.answer(answer))
        decision.mark = RequestMark.tokenRefused(refusal.error)
        return decision
    }
}
