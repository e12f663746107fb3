import Broadcasts
import GatewayStore
import LiveActivity
import NIOCore
import TimeCore

/// The state that connections of one event loop share: known keys, the batch of reports for the store, and the handlers
/// that wait for answers. Confined to its event loop, which makes it `Sendable`.
final class ReportService: @unchecked Sendable {
    let eventLoop: any EventLoop
    let context: ReportContext
    let endpoints: EndpointTable
    let allocator = ByteBufferAllocator()
    private var outgoing = ByteBuffer()
    var encoder = ReplyEncoder()
    let metrics: ReportMetrics

    private var queue: ReportQueue?
    private var admissions: AdmissionCache
    /// The handlers that wait for the store's answer about a key.
    private var asking: [String: [ReportHandler]] = [:]
    /// The reports of this turn of the loop, which go to the store at its end.
    private var batch: [DeviceReport] = []
    /// The handlers that wait for a report's answer, by ticket, with the tenant whose place they hold.
    private var waiting: [(handler: ReportHandler, place: TenantReports)?] = []
    /// The counts of recently active tenants.
    private var tenants: [String: TenantReports] = [:]
    private var lastTenant: (id: String, reports: TenantReports)?
    private static let rememberedTenants = 1024
    private var freeTickets: [Int] = []
    private var stalls = StallDetector(now: .now())

    init(_ eventLoop: any EventLoop, _ context: ReportContext, _ endpoints: EndpointTable) {
        self.eventLoop = eventLoop
        self.context = context
        self.endpoints = endpoints
        metrics = ReportMetrics(endpoints.reports.map(\.measured))
        admissions = AdmissionCache(lifetime: context.settings.admissionLifetime)
        queue = ReportQueue(context.store.reports, context.store.followers) { [weak self] answers in
            guard let self else { return }
            eventLoop.execute { self.take(answers) }
        }
        let period = TimeAmount(StallDetector.period)
        eventLoop.scheduleRepeatedTask(initialDelay: period, delay: period) { [weak self] task in
            guard let self else { return task.cancel() }
            stalls.turn(.now())
        }
    }

    /// The last known key, for `PlainHead`.
    var lastKey: String? { admissions.lastKey }

    /// Copies bytes for an immediate write. The buffer is reused, because the last answer has nearly always been
    /// written by now.
    func buffer(of bytes: [UInt8]) -> ByteBuffer {
        guard bytes.count <= ReportService.usualReply else { return ByteBuffer(bytes: bytes) }
        outgoing.clear(minimumCapacity: ReportService.usualReply)
        outgoing.writeBytes(bytes)
        return outgoing
    }

    private static let usualReply = 1024

    // MARK: Time

    /// Returns the time of a complete report.
    func reception(_ now: MonotonicTime) -> DeviceReport.Reception {
        stalls.turn(now)
        return DeviceReport.Reception(wallTime: context.store.wallClock(), monotonicTime: now)
    }

    /// False if the last report may have waited during a stall of the loop.
    var isAwake: Bool { stalls.recent != .long }

    /// Returns the recent stall of the loop, which reads a request now.
    func stall(_ now: MonotonicTime) -> StallDetector.Stall {
        stalls.turn(now)
        return stalls.recent
    }

    // MARK: Keys

    /// Returns the admission of a key; nil while the store is queried, which ends with a call of `admissionCame`.
    func admission(_ key: String, for handler: ReportHandler, _ now: MonotonicTime) -> AdmissionCache.Answer? {
        if let answer = admissions.find(key, now: now) { return answer }
        if asking[key]?.append(handler) != nil { return nil }
        asking[key] = [handler]
        Task { [context, eventLoop] in
            let result: Result<Admission?, StoreError>
            do throws(StoreError) {
                result = .success(try await context.store.tenants.admit(key: key, kind: .sdk, limit: 0))
            } catch {
                result = .failure(error)
            }
            eventLoop.execute { self.admitted(key, result) }
        }
        return nil
    }

    private func admitted(_ key: String, _ result: Result<Admission?, StoreError>) {
        eventLoop.assertInEventLoop()
        let handlers = asking.removeValue(forKey: key) ?? []
        switch result {
        case .success(let admission):
            admissions.add(key, admission, now: .now())
            let answer = admission.map { AdmissionCache.Answer.admitted($0) } ?? .refused
            for handler in handlers { handler.admissionCame(.success(answer)) }
        case .failure(let error):
            for handler in handlers { handler.admissionCame(.failure(error)) }
        }
    }

    // MARK: Reports

    /// Takes a place for a report; nil if the tenant gets none.
    func enter(_ admission: Admission) -> TenantReports? {
        let reports = reports(ofTenant: admission.tenantID)
        return context.shares.reports.enter(reports, weight: admission.limits[.weight]) ? reports : nil
    }

    /// Returns the counts of a tenant. In a storm nearly all reports are of one tenant.
    private func reports(ofTenant tenantID: String) -> TenantReports {
        if let lastTenant, lastTenant.id == tenantID { return lastTenant.reports }
        if tenants.count >= ReportService.rememberedTenants { tenants = [:] }
        let reports = tenants[tenantID] ?? context.shares.reports.reports(ofTenant: tenantID)
        tenants[tenantID] = reports
        lastTenant = (tenantID, reports)
        return reports
    }

    /// Passes a report to the store at the end of this turn, which leads to a call of `answerCame`.
    func carryOut(
        _ content: DeviceReport.Content, of device: DeviceKey, _ admission: Admission,
        received: DeviceReport.Reception, in place: TenantReports, for handler: ReportHandler
    ) {
        let ticket: Int
        if let free = freeTickets.popLast() {
            ticket = free
            waiting[ticket] = (handler, place)
        } else {
            ticket = waiting.count
            waiting.append((handler, place))
        }
        // A task from within the loop runs after all ready connections have been read.
        if batch.isEmpty { eventLoop.execute { self.handOver() } }
        batch.append(
            DeviceReport(
                ticket: ticket, admission: admission, device: device, content: content, received: received))
    }

    private func handOver() {
        let reports = batch
        batch = []
        batch.reserveCapacity(min(reports.count, 1024))
        queue?.carryOut(reports)
    }

    private func take(_ answers: [ReportAnswer]) {
        for answer in answers {
            guard let (handler, place) = waiting[answer.ticket].take() else { continue }
            freeTickets.append(answer.ticket)
            switch answer.outcome {
            case .ended(let record, let slot, let broadcast, let isOver):
                // The Live Activity ended before the device could be reached. The end is sent now, so none is orphaned.
                send(isOver ? .notFound : .synced(record.activity.id), handler, place) { jobs throws(StoreError) in
                    try await jobs.endLate(by: broadcast, in: record.activity.id, slot: slot)
                }
            case .endedBefore(let record, let slot, let reason):
                send(.synced(record.activity.id), handler, place) { jobs throws(StoreError) in
                    try await jobs.endAgain(record, slot: slot, reason)
                }
            case .behind(let record, let slot, let update):
                send(.synced(record.activity.id), handler, place) { jobs throws(StoreError) in
                    try await jobs.catchUp(with: update, in: record.activity, slot: slot)
                }
            default:
                context.shares.reports.leave(place)
                handler.answerCame(answer.outcome)
            }
        }
    }

    /// Records a push to the device, then answers.
    private func send(
        _ answer: ReportAnswer.Outcome, _ handler: ReportHandler, _ place: TenantReports,
        _ record: @escaping @Sendable (JobWorker) async throws(StoreError) -> Void
    ) {
        // Confined to the event loop, to which it returns.
        nonisolated(unsafe) let handler = handler
        Task { [context, eventLoop] in
            let outcome: ReportAnswer.Outcome
            do throws(StoreError) {
                try await record(context.jobs)
                outcome = answer
            } catch {
                outcome = .failed(error)
            }
            context.shares.reports.leave(place)
            eventLoop.execute { handler.answerCame(outcome) }
        }
    }
}
