public import Broadcasts
public import GatewayStore
import HTTPTypes
import LiveActivity
public import Logging
import NIOCore
import Synchronization
public import TimeCore
import Tracing

/// Answers updates without the router and without a task, if this gateway can carry them out without a read of the
/// activity. It parses, admits, and calls the service that the router's handler calls. The router answers all other
/// updates.
public final class DirectUpdates: Sendable {
    private let tenants: StoredTenants
    private let updates: RecentUpdates
    private let weights: TenantWeights
    private let customer: CustomerAPI
    private let gatekeeper: Gatekeeper
    /// The bounds of Redis's clock, which define the time of arrival.
    private let clockBounds: @Sendable () -> ClockBounds
    private let observation: RequestObservation
    private let audit: any AuditSink
    private let isStopping: @Sendable () -> Bool
    private let count = Atomic(0)
    private let route = RequestMetrics.Route(method: "POST", path: UpdateRequest.path)

    /// - Parameters:
    ///   - requestMetrics: The counters of requests, shared with the router.
    ///   - audit: The sink for records of changes.
    ///   - logger: The log, which gets a line for each request.
    ///   - isStopping: True when the gateway accepts no more work.
    public init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings, clock: @escaping @Sendable () -> WallTime,
        requestMetrics: RequestMetrics, audit: any AuditSink, logger: Logger,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        tenants = store.tenants
        let service = BroadcastService(store: store, jobs: jobs)
        updates = RecentUpdates(service)
        weights = jobs.weights
        clockBounds = store.clockBounds
        self.audit = audit
        self.isStopping = isStopping
        observation = RequestObservation(requestMetrics, logger)
        gatekeeper = Gatekeeper(store: store.tenants, settings: settings, clock: clock)
        customer = CustomerAPI(
            store: CustomerStore(store), service: service, settings: settings, clock: clock, isStopping: isStopping)
    }

    /// The number of requests answered here.
    var answered: Int { count.load(ordering: .relaxed) }

    /// An update that is being carried out.
    struct Run: Sendable {
        fileprivate let request: BroadcastRequest
        fileprivate let key: String
        let requestID: String
        fileprivate let address: String?
        fileprivate let began: NIODeadline
    }

    /// True if updates are answered here at all. The router answers traced requests.
    var isOn: Bool { !isStopping() && InstrumentationSystem.tracer is NoOpTracer }

    /// Parses an update; nil if the router must answer it.
    /// - Parameter address: The client's address.
    func run(_ update: UpdateRequest, address: String?) -> Run? {
        guard Gatekeeper.isSane(update.key), let bytes = update.body,
            let body = try? BodyReader.document(Array(bytes.readableBytesView), contentType: update.contentType).root,
            KnownFields.update.allow(body)
        else { return nil }
        let caller = BroadcastCaller(
            tenantID: "", requestID: update.requestID ?? UniqueID.random().description, broadcastID: .random(),
            arrived: clockBounds().latest)
        guard var request = try? CustomerAPI.update(body, caller).request, let activity = request.activityID,
            let tenantID = updates.tenant(ofRecent: activity)
        else { return nil }
        request.id = activity.randomBroadcast()
        request.tenantID = tenantID
        guard updates.needsNoRead(request) else { return nil }
        return Run(
            request: request, key: update.key, requestID: caller.requestID, address: address, began: update.began)
    }

    struct Answer: Sendable {
        fileprivate(set) var reply: Reply
        /// The contract's code of a refusal.
        fileprivate var code: String?
        /// The tenant and the name of the key; nil if the key was not admitted.
        fileprivate var caller: (tenantID: String, keyName: String)?
        fileprivate var rate: Admission.Rate?
    }

    /// Carries an update out. Calls `completion` once, from any thread.
    func carryOut(_ run: Run, _ completion: @escaping @Sendable (Answer) -> Void) {
        observation.metrics.began()
        let settings = gatekeeper.settings
        tenants.admit(key: run.key, kind: .api, limit: settings.requestsPerMinute, window: settings.rateWindow) {
            [self] result in
            var answer = Answer(reply: Reply(APIError.unexpected))
            do {
                var request = run.request
                request.tenantID = try check(result.get(), run, &answer)
                let admitted = answer
                updates.carryOut(request) { [self] in finish($0, admitted, completion) }
            } catch {
                completion(refused(answer, error))
            }
        }
    }

    /// Checks the admission as the router does, and returns the tenant.
    private func check(_ admission: Admission?, _ run: Run, _ answer: inout Answer) throws -> String {
        guard let admission else { throw APIError.unauthorized(HTTPField.Name.apiKey.rawName, given: run.key) }
        answer.rate = admission.rate
        try gatekeeper.check(admission)
        answer.caller = (admission.tenantID, admission.keyName ?? "")
        guard !isStopping() else { throw APIError.stopping }
        weights.heard(admission.limits[.weight], ofTenant: admission.tenantID)
        return admission.tenantID
    }

    private func finish(
        _ result: Result<BroadcastResult, any Error>, _ admitted: Answer,
        _ completion: @escaping @Sendable (Answer) -> Void
    ) {
        var answer = admitted
        switch result {
        case .success(.ended(let record)):
            answer.reply = customer.reply(record.id, record)
            completion(answer)
        case .success(let result):
            Task { [customer, answer] in
                var answer = answer
                answer.reply = await customer.reply(to: result)
                completion(answer)
            }
        case .failure(let error): completion(refused(answer, error))
        }
    }

    private func refused(_ answer: Answer, _ error: any Error) -> Answer {
        let error = APIError(anyOf: error)
        var answer = answer
        answer.reply = Reply(error)
        answer.code = error.code.rawValue
        return answer
    }

    /// Records an answer in metrics, log and audit log. Returns the reply with all headers.
    func note(_ run: Run, _ answer: Answer) -> Reply {
        count.add(1, ordering: .relaxed)
        let status = Int(answer.reply.status.code)
        let duration = TimeInterval(nanoseconds: UInt64(max(0, (NIODeadline.now() - run.began).nanoseconds)))
        var change: AuditRecord?
        if let caller = answer.caller {
            var record = AuditRecord(
                time: gatekeeper.clock(), tenantID: caller.tenantID, actor: .apiKey(caller.keyName),
                action: DirectUpdates.action, status: status)
            record.object = run.request.activityID?.description
            record.address = run.address
            record.requestID = run.requestID
            record.code = answer.code
            change = record
            audit.record(record)
        }
        observation.ended(route, status: status, duration, requestID: run.requestID, code: answer.code, change)
        var reply = answer.reply
        if let rate = answer.rate { reply.headers.tell(rate, limit: gatekeeper.settings.requestsPerMinute) }
        return reply
    }

    private static let action = "POST \(UpdateRequest.path)"
}
