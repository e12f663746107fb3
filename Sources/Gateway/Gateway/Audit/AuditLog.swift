import GatewayAPI
import GatewayStore
import Logging
import Reactor
import TimeCore

/// Writes audit records as JSON lines, and publishes them as events of the tenants that enabled this. Both ways have a
/// bounded queue and a writer. If a queue is full, the record is dropped and counted. No request waits.
final class AuditLog: AuditSink, Sendable {
    /// The number of records by result.
    struct Counts: Sendable {
        var written = 0
        /// Records that could not be written to the file, for example to a full disk.
        var failed = 0
        /// Records dropped because the queue was full.
        var dropped = 0
        var published = 0
        /// Events lost because the queue was full or the store failed.
        var unpublished = 0
    }

    private let file: AuditFile?
    private let store: GatewayStore
    private let logger: Logger
    private let state = Locked(State())
    private let lines: AsyncStream<AuditRecord>.Continuation
    private let events: AsyncStream<AuditRecord>.Continuation
    private let writing: Locked<[Task<Void, Never>]> = Locked([])

    private struct State {
        var counts = Counts()
        var isHurrying = false
        var warnedAt: MonotonicTime?
    }

    static let capacity = 10_000
    private static let warningPause = TimeInterval.seconds(60)
    /// The time after which a stop drops the remaining events.
    private static let patience = Duration.seconds(2)

    /// - Parameter file: Pass nil to write records to the log. It then omits the records of requests with an API key,
    ///   because their access log lines contain the change.
    init(file: AuditFile?, store: GatewayStore, logger: Logger, capacity: Int = AuditLog.capacity) {
        self.file = file
        self.store = store
        self.logger = logger
        let (lineStream, lines) = AsyncStream<AuditRecord>.makeStream(bufferingPolicy: .bufferingOldest(capacity))
        let (eventStream, events) = AsyncStream<AuditRecord>.makeStream(bufferingPolicy: .bufferingOldest(capacity))
        self.lines = lines
        self.events = events
        let tasks = [
            Task { [weak self] in for await record in lineStream { await self?.write(record) } },
            Task { [weak self] in for await record in eventStream { await self?.publish(record) } },
        ]
        writing.withLock { $0 = tasks }
    }

    /// Opens the file, so that a problem is logged at start and not with the first change.
    func open() async {
        guard let problem = await file?.open() else { return }
        warn("audit log write failed, records lost", problem)
    }

    var counts: Counts { state.withLock { $0.counts } }

    func record(_ record: AuditRecord) {
        if file == nil {
            // Writing to the log takes no longer than any other log line.
            log(record)
        } else if case .enqueued = lines.yield(record) {
        } else {
            count { $0.dropped += 1 }
            warn("audit log too slow, records dropped", nil)
        }
        guard let tenantID = record.tenantID, !store.events.isAuditKnownOff(tenantID) else { return }
        if case .enqueued = events.yield(record) {} else { count { $0.unpublished += 1 } }
    }

    /// Accepts no more records. Returns when the queued ones are written, after at most three seconds because a disk
    /// may hang.
    func stop() async {
        lines.finish()
        events.finish()
        let tasks = writing.withLock { $0 }
        let (ends, end) = AsyncStream<Void>.makeStream()
        Task {
            for task in tasks { await task.value }
            end.finish()
        }
        let limit = Task {
            try? await Task.sleep(for: AuditLog.patience)
            self.state.withLock { $0.isHurrying = true }
            try? await Task.sleep(for: .seconds(1))
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }

    private func write(_ record: AuditRecord) async {
        guard let file else { return }
        if let problem = await file.append(record.line) {
            count { $0.failed += 1 }
            warn("audit log write failed, records lost", problem)
        } else {
            count { $0.written += 1 }
        }
    }

    private func log(_ record: AuditRecord) {
        count { $0.written += 1 }
        if case .apiKey = record.actor { return }
        guard logger.logLevel <= .info else { return }
        logger.info("audit", metadata: ["record": .string(record.text)])
    }

    private func publish(_ record: AuditRecord) async {
        guard let tenantID = record.tenantID else { return }
        do {
            if state.withLock({ $0.isHurrying }) { throw CancellationError() }
            let source: EventSource = if case .sdkKey = record.actor { .device } else { .customer }
            if try await store.events.publishAudit(
                record.eventData, at: record.time, from: source, tenantID: tenantID)
            {
                count { $0.published += 1 }
            }
        } catch {
            count { $0.unpublished += 1 }
        }
    }

    private func count(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts) }
    }

    private func warn(_ text: Logger.Message, _ reason: String?) {
        let now = MonotonicTime.now()
        let isTime = state.withLock { state in
            if let last = state.warnedAt, now - last < AuditLog.warningPause { return false }
            state.warnedAt = now
            return true
        }
        guard isTime else { return }
        var metadata: Logger.Metadata = [:]
        if let file { metadata["file"] = "\(file.path)" }
        if let reason { metadata["reason"] = "\(reason)" }
        logger.warning(text, metadata: metadata)
    }
}
