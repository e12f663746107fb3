public import Broadcasts
public import GatewayStore
import HTTPTypes
import LiveActivity
public import Logging
import NIOCore
import Synchronization
public import TimeCore
import Tracing

/// Answers updates of small activities without the router, where everything that such a request takes is known here
/// beforehand: its key, and that the activity is a small one. One step of the store lets it in and records it. Whatever
/// is otherwise is the router's, which is told nothing: no step has been taken then.
public final class DirectUpdates: Sendable {
    let keys = CustomerKeys()
    private let jobs: JobWorker
    private let customer: CustomerAPI
    private let settings: APISettings
    private let clock: @Sendable () -> WallTime
    /// The bounds of Redis's clock, by which requests arrive.
    private let clockBounds: @Sendable () -> ClockBounds
    private let observation: RequestObservation
    private let audit: any AuditSink
    private let isStopping: @Sendable () -> Bool
    private let count = Atomic(0)
    private let route = RequestMetrics.Route(method: "POST", path: UpdateRequest.path)

    /// - Parameters:
    ///   - requestMetrics: where requests are counted, with the router's.
    ///   - audit: where changes are written down.
    ///   - logger: where each request has a line.
    ///   - isStopping: true from when the gateway takes no more work.
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

    /// How many requests have been answered here.
    var answered: Int { count.load(ordering: .relaxed) }

    /// An update that is being carried out.
    struct Run: Sendable {
        let draft: DirectDraft
        fileprivate let key: KnownKey
        let requestID: String
        fileprivate let address: String?
        fileprivate let began: NIODeadline
    }

    /// Whether updates are answered here at all now. Requests whose steps are traced are the router's.
    var isOn: Bool { !isStopping() && InstrumentationSystem.tracer is NoOpTracer }

    /// What a request asks for; nil when it is the router's.
    /// - Parameter address: whose request it is.
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

    /// Carries one out. `done` is called once, from any thread; with nil when it is the router's.
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

    /// One has been answered: its counts, and its lines in the log and in the audit log.
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
