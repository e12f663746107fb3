public import Broadcasts
public import GatewayStore
import HTTPTypes
import LiveActivity
public import Logging
import NIOCore
import Synchronization
public import TimeCore
import Tracing

/// Answers updates of small activities without the router, if the key and the small size are known here. One step of
/// the store admits and records a request. The router answers all other updates, for which no step has run.
public final class DirectUpdates: Sendable {
    let keys = CustomerKeys()
    private let jobs: JobWorker
    private let customer: CustomerAPI
    private let settings: APISettings
    private let clock: @Sendable () -> WallTime
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
        self.jobs = jobs
        self.settings = settings
        self.clock = clock
        clockBounds = store.clockBounds
        self.audit = audit
        self.isStopping = isStopping
        observation = RequestObservation(requestMetrics, logger)
        customer = CustomerAPI(
            store: CustomerStore(store), service: BroadcastService(store: store, jobs: jobs), settings: settings,
            clock: clock, isStopping: isStopping)
    }

    /// The number of requests answered here.
    var answered: Int { count.load(ordering: .relaxed) }

    /// An update that is being carried out.
    struct Run: Sendable {
        let draft: DirectDraft
        fileprivate let key: KnownKey
        let requestID: String
        fileprivate let address: String?
        fileprivate let began: NIODeadline
    }

    /// True if updates are answered here at all. The router answers traced requests.
    var isOn: Bool { !isStopping() && InstrumentationSystem.tracer is NoOpTracer }

    /// Parses an update; nil if the router must answer it.
    /// - Parameter address: The client's address.
    func run(_ request: UpdateRequest, address: String?) -> Run? {
        guard let known = keys[request.key], let bytes = request.body,
            let body = try? BodyReader.document(Array(bytes.readableBytesView), contentType: request.contentType).root,
            KnownFields.update.allow(body)
        else { return nil }
        let caller = BroadcastCaller(
            tenantID: known.tenantID, requestID: request.requestID ?? UniqueID.random().description,
            broadcastID: .random(), arrived: clockBounds().latest)
        let admission = KnownKey.Request(known, limit: settings.requestsPerMinute, window: settings.rateWindow)
        guard var asked = try? CustomerAPI.update(body, caller), case .id(let activity?) = asked.activity else {
            return nil
        }
        asked.request.id = activity.randomBroadcast()
        guard let draft = BroadcastService.directDraft(asked.request, admission: admission) else { return nil }
        return Run(draft: draft, key: known, requestID: caller.requestID, address: address, began: request.began)
    }

    struct Answer: Sendable {
        let reply: Reply
        /// The contract's code of a refusal.
        var code: String?
    }

    /// Carries an update out. Calls `done` once, from any thread; with nil if the router must answer.
    func carryOut(_ run: Run, _ done: @escaping @Sendable (Answer?) -> Void) {
        observation.metrics.began()
        jobs.admitAndCarryOut(run.draft) { [self] result in
            switch result {
            case .ended(let record, let rate): done(replied(customer.reply(record.id, record), rate))
            case .underWay(let order, let rate):
                Task { [self] in
                    let record = await customer.service.wait(
                        for: order.id, in: order.activity.id, timeout: settings.waitTimeout)
                    done(replied(customer.reply(order.id, record), rate))
                }
            case .declined:
                observation.metrics.abandoned()
                done(nil)
            case .failed(let error):
                let error = APIError(error)
                done(Answer(reply: Reply(error), code: error.code.rawValue))
            }
        }
    }

    private func replied(_ reply: Reply, _ rate: Admission.Rate?) -> Answer {
        var reply = reply
        if let rate { reply.headers.tell(rate, limit: settings.requestsPerMinute) }
        return Answer(reply: reply)
    }

    /// Records an answer in metrics, log and audit log.
    func note(_ run: Run, _ answer: Answer) {
        count.add(1, ordering: .relaxed)
        let status = Int(answer.reply.status.code)
        let duration = TimeInterval(nanoseconds: UInt64(max(0, (NIODeadline.now() - run.began).nanoseconds)))
        var record = AuditRecord(
            time: clock(), tenantID: run.key.tenantID, actor: .apiKey(run.key.name),
            action: DirectUpdates.action, status: status)
        record.object = run.draft.activityID.description
        record.address = run.address
        record.requestID = run.requestID
        record.code = answer.code
        observation.ended(
            route, status: status, duration, requestID: run.requestID, tenantID: run.key.tenantID, record)
        audit.record(record)
    }

    private static let action = "POST \(UpdateRequest.path)"
}
