import GatewayStore
import HTTPTypes
import LiveActivity
import NIOCore
import TimeCore

// The rules of a report, in the API's order: key, product, state of the gateway, body, identity, fields.
extension ReportHandler {
    /// A report's head has come.
    func begin(_ new: ReportRequest) {
        request = new
        guard connection.isForwarding else { return ask(new) }
        let client = connection.clientAddress(forwardedFor: new.head.forwardedFor)
        guard let place = connection.enterForwarded(client) else { return refuse(.tooManyAtOnce) }
        new.place = place
        ask(new)
    }

    private func ask(_ new: ReportRequest) {
        guard let key = new.head.key, Gatekeeper.isSane(key) else {
            return refuse(.unauthorized("X-Sdk-Key", given: new.head.key))
        }
        guard let answer = service.admission(key, for: self, MonotonicTime(new.began)) else { return }
        admit(answer)
    }

    /// The store has said what the key opens.
    func admissionCame(_ result: Result<AdmissionCache.Answer, StoreError>) {
        guard request != nil else { return }
        switch result {
        case .success(let answer): admit(answer)
        case .failure(let error): refuse(APIError(error))
        }
        resumeReading()
    }

    private func admit(_ answer: AdmissionCache.Answer) {
        guard case .admitted(let admission) = answer else {
            return refuse(.unauthorized("X-Sdk-Key", given: request?.head.key))
        }
        // Installed apps keep reporting after a tenant is disabled. Answer 202 and drop the report.
        guard admission.isEnabled else { return self.answer(.success(.accepted)) }
        guard !service.context.isStopping() else { return refuse(.stopping) }
        request?.admission = admission
        proceed()
    }

    /// A piece of the body has come.
    func add(_ bytes: ByteBuffer, _ now: NIODeadline) {
        guard let request else { return }
        request.add(bytes, now: now)
        if request.fault != nil { proceed() }
    }

    /// All that was there has been read, and the rest of the body has not come: what is held of it takes memory.
    func hold() {
        guard let request, !request.isComplete else { return }
        if !request.hold(in: service.context.shares.bodies) { refuse(.tooMuchInMemory, isLast: true) }
    }

    /// The time for the body is over. False when it is not a report's.
    func bodyIsLate() -> Bool {
        guard let request, !request.isComplete else { return false }
        refuse(.tooSlow, isLast: true)
        return true
    }

    /// The client has gone, or sends what is no HTTP, in the middle of a body.
    func breakOff() {
        // A gateway that stops closes connections itself; no client may take that for a fault of its own.
        answer(Reply(service.context.isStopping() ? .stopping : .brokenOff), isLast: true)
    }

    /// The gateway stops, and the body has not come to its end in time.
    func stopBody() {
        refuse(.stopping, isLast: true)
    }

    /// Goes on as soon as the key is known and the body complete, or known to be bad.
    func proceed() {
        guard let request, let admission = request.admission else { return }
        switch request.fault {
        case .tooLarge: return refuse(.tooLarge(request.maximumBytes), isLast: true)
        case .tooSlow: return refuse(.tooSlow, isLast: true)
        case nil: break
        }
        guard let received = request.received else { return }
        guard service.isAwake else { return refuse(.heldUp) }
        guard let place = service.enter(admission) else { return refuse(.tooManyReports) }
        do {
            if let coding = request.head.contentEncoding, !ContentCoding.isNone(coding) {
                throw APIError.unsupportedEncoding(coding)
            }
            let bytes = request.takeBody()
            let device = try BodyReader.device(bytes, contentType: request.head.contentType)
            try admission.checkIdentity(request.head.signature, device, now: received.wallTime)
            try service.context.store.rates.check(device, admission, now: received.monotonicTime)
            let body = try BodyReader.document(bytes, contentType: request.head.contentType).root
            let content = try service.endpoints.reports[request.head.place].read(body, request.head.parameters)
            if content.mayOpenActivity { try service.context.settings.check(admission.tier) }
            service.carryOut(content, of: device, admission, received: received, in: place, for: self)
        } catch {
            service.context.shares.reports.leave(place)
            refuse(error as? APIError ?? .unexpected)
        }
    }

    /// The store has carried the report out, or failed to.
    func answerCame(_ outcome: ReportAnswer.Outcome) {
        guard request != nil else { return }
        switch outcome {
        case .changed: answer(.success())
        case .followed(let state): answer(.success { $0.field("state", state.rawValue) })
        case .noTopic: refuse(.noTopic)
        case .tooManyTopics:
            var error = APIError(
                .quotaExceeded,
                "quota topics_per_user: a user can follow at most \(StoredFollowers.topicsOfUser) topics")
            error.quota = "topics_per_user"
            refuse(error)
        case .failed(let error): refuse(APIError(error))
        case .late: refuse(.heldUp)
        case .synced(let activity): answerSuccess(activity)
        // The service has sent that end before it answers.
        case .ended(let record, _, _, _), .behind(let record, _, _), .endedBefore(let record, _, _):
            answerSuccess(record.activity.id)
        case .notFound: refuse(.noSuchLiveActivity)
        case .typeMismatch(let registered): refuse(APIError(ActivityRefusal.typeMismatch(registered: registered)))
        case .notStarted: refuse(APIError(ActivityRefusal.notStarted))
        case .ambiguous(let candidates): refuse(APIError(ambiguous: candidates))
        }
    }

    private func refuse(_ error: APIError, isLast: Bool = false) {
        answer(Reply(error), isLast: isLast)
    }
}

extension APIError {
    static var tooManyReports: APIError {
        APIError(.overloaded, "this gateway has too many concurrent reports; try again", retryAfter: 1)
    }
}
