import MockKit
import TimeCore

/// Decisions on messages. The checks follow Google's order: credential, project, project quota, message, registration
/// token, device.
extension FCMService {
    func decideMessage(_ request: MockRequest, isJSON: Bool, _ now: Int64) -> MockDecision {
        let credential = accessTokens.verdict(request.authorization, now: now)
        guard case .good(let number) = credential else { return error(unauthenticated(credential, now)) }
        var decision = decideAuthorized(request, isJSON: isJSON, now)
        decision.note = number
        decision.hasValidCredential = true
        return decision
    }

    /// Decides on a message for a project other than the mock's.
    func decideForeign(_ request: MockRequest, _ project: String, _ now: Int64) -> MockDecision {
        let credential = accessTokens.verdict(request.authorization, now: now)
        guard case .good(let number) = credential else { return error(unauthenticated(credential, now)) }
        let isDenied = runner.script.deniedProjects.contains(project)
        var decision = error(fault(isDenied ? .permissionDenied : .notFound, nil, now))
        decision.note = number
        decision.hasValidCredential = true
        return decision
    }

    private func decideAuthorized(_ request: MockRequest, isJSON: Bool, _ now: Int64) -> MockDecision {
        guard runner.quota.take(now: now) else { return error(quotaExceeded(now)) }
        guard isJSON, request.body.count <= maximumBodyLength else {
            let text = "the body must be application/json of at most \(maximumBodyLength) bytes"
            return error(invalid(ErrorDetails.FieldViolation(field: "", description: text, isOfFCM: false), now))
        }
        let verdict = memory.verdict(request.body, token: &token)
        var decision = decide(verdict, request, now)
        decision.mark |= verdict.isValidation ? 0 : RequestMark.message(verdict.event)
        return decision
    }

    private func decide(_ verdict: MessageVerdict, _ request: MockRequest, _ now: Int64) -> MockDecision {
        if let violation = verdict.violation { return error(invalid(violation, now)) }
        if verdict.tokenRange != nil || !token.isEmpty, isMalformed(token) {
            let text = "is no registration token"
            return error(invalid(ErrorDetails.FieldViolation(field: "message.token", description: text), now))
        }
        if verdict.isValidation { return validate(request, now) }
        let rule = runner.rule(token: token, event: verdict.event, connection: request.connection, now: now)
        let delay = runner.draw(rule?.latency ?? runner.script.latency)
        var decision = rule.flatMap { follow($0, now) } ?? accept(verdict, request, now)
        decision.delay = delay
        return decision
    }

    private func isMalformed(_ token: [UInt8]) -> Bool {
        let rules = runner.script.malformedTokens
        return token.count < rules.minimumLength || !token.allSatisfy(MessageMemory.isOfToken)
            || rules.prefixes.contains { token.starts(with: $0.utf8) }
    }

    /// Returns nil if the rule accepts the message.
    private func follow(_ rule: MockFCM.MessageRule, _ now: Int64) -> MockDecision? {
        switch rule.action {
        case .accept: nil
        case .fault(let fault, let retryAfter): MockDecision(.answer(self.fault(fault, retryAfter, now)))
        case .page(let status, let retryAfter):
            MockDecision(.answer(answers.page(status, retryAfter: retryAfter, now: now)))
        case .silence: MockDecision(.silence)
        case .reset(let code): MockDecision(.reset(code: code))
        case .close(let abruptly): MockDecision(.close(abruptly: abruptly))
        }
    }

    private func accept(_ verdict: MessageVerdict, _ request: MockRequest, _ now: Int64) -> MockDecision {
        let limits = runner.devices.take(token.hashValue, collapseKey: verdict.collapseKey, now: now)
        if limits == .tooMany {
            return MockDecision(.answer(fault(MockFCM.MessageFault(.quotaExceeded, about: .device), nil, now)))
        }
        writeName(to: &request.ownBody, isValidation: false, now)
        var decision = MockDecision(.answer(answers.accepted(now: now)))
        if limits == .tooManyKeys { decision.mark = RequestMark.tooManyKeys }
        return decision
    }

    /// Decides on a message that is only validated. It advances no rule, but follows a rule for all messages.
    private func validate(_ request: MockRequest, _ now: Int64) -> MockDecision {
        var decision =
            runner.ruleForAll.flatMap { follow($0, now) } ?? MockDecision(.answer(answers.accepted(now: now)))
        if case .answer(let answer) = decision.outcome, answer.status == 200 {
            writeName(to: &request.ownBody, isValidation: true, now)
        }
        decision.isAside = true
        decision.mark = RequestMark.validation
        return decision
    }

    // MARK: Errors

    private func error(_ answer: Answer) -> MockDecision {
        MockDecision(.answer(answer), delay: runner.draw(runner.script.latency))
    }

    private func unauthenticated(_ verdict: AccessTokens.Verdict, _ now: Int64) -> Answer {
        let reason =
            switch verdict {
            case .expired: "ACCESS_TOKEN_EXPIRED"
            case .missing: "CREDENTIALS_MISSING"
            case .unknown, .good: "ACCESS_TOKEN_TYPE_UNSUPPORTED"
            }
        return answers.error(
            .unauthenticated, "the access token is \(verdict)", ErrorDetails(errorInfo: reason), now: now)
    }

    private func quotaExceeded(_ now: Int64) -> Answer {
        let quota = runner.script.quota
        let wait = MinuteBucket.secondsToRefill(now: now)
        let retryAfter =
            quota.sendsRetryAfter ? (quota.sendsDate ? .date(wait) : .seconds(wait)) : nil as MockFCM.RetryAfter?
        return fault(MockFCM.MessageFault(.quotaExceeded, about: .project), retryAfter, now)
    }

    private func invalid(_ violation: ErrorDetails.FieldViolation, _ now: Int64) -> Answer {
        let place = violation.field.isEmpty ? "the request" : violation.field
        return answers.error(
            .invalidArgument, "\(place): \(violation.description)",
            ErrorDetails(violations: [violation], hasCode: violation.isOfFCM), now: now)
    }

    private func fault(_ code: MockFCM.ErrorCode, _ retryAfter: MockFCM.RetryAfter?, _ now: Int64) -> Answer {
        fault(MockFCM.MessageFault(code), retryAfter, now)
    }

    private func fault(
        _ fault: MockFCM.MessageFault, _ retryAfter: MockFCM.RetryAfter?, _ now: Int64
    ) -> Answer {
        var details = ErrorDetails()
        var text = fault.code.canonical.lowercased()
        switch fault.code {
        case .invalidArgument:
            let field = fault.subject == .message ? "message" : "message.token"
            text = "\(field) is not valid"
            details.violations = [ErrorDetails.FieldViolation(field: field, description: "is not valid")]
        case .quotaExceeded:
            let isDevices = fault.subject == .device
            text = "the quota of the \(isDevices ? "device" : "project") is used up"
            details.quotaSubject =
                isDevices ? "device:\(String(decoding: token, as: UTF8.self))" : "project:\(options.projectID)"
        case .unauthenticated: details.errorInfo = "ACCESS_TOKEN_EXPIRED"
        case .permissionDenied: details.errorInfo = "IAM_PERMISSION_DENIED"
        default: break
        }
        return answers.error(
            fault.code, text, details, withDetails: fault.hasDetails, retryAfter: retryAfter, now: now)
    }
}
