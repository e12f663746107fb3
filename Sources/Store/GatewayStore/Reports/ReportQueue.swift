import LiveActivity
import Reactor
import RedisClient
public import TimeCore

/// Carries reports of devices to the store's reactor and their answers back, in batches. All reports of a caller's turn
/// take one hop, and so do all answers of a reactor's turn.
///
/// `carryOut` may be called from any thread; everything else is confined to the reactor.
public final class ReportQueue: TurnParticipant, @unchecked Sendable {
    private let reports: StoredReports
    private let followers: StoredFollowers
    private let answered: @Sendable ([ReportAnswer]) -> Void
    private var answers: [ReportAnswer] = []

    /// - Parameter answered: Receives each report's answer once, in any order. Called on the reactor, for a slow report
    ///   on another thread, or by `carryOut` if the reactor has stopped.
    public init(
        _ reports: StoredReports, _ followers: StoredFollowers, answered: @escaping @Sendable ([ReportAnswer]) -> Void
    ) {
        self.reports = reports
        self.followers = followers
        self.answered = answered
    }

    /// Processes the reports in any order. From any thread; returns at once.
    public func carryOut(_ reports: [DeviceReport]) {
        let taken = self.reports.redis.reactor.execute {
            for report in reports { self.carryOut(report) }
        }
        guard !taken else { return }
        answered(reports.map { ReportAnswer(ticket: $0.ticket, outcome: .failed(ReportQueue.stopped)) })
    }

    private static let stopped = StoreError.unavailable("the reactor has stopped")

    /// The longest time that a report may wait for its processing.
    public static let patience = TimeInterval.seconds(5)

    private func carryOut(_ report: DeviceReport) {
        let ticket = report.ticket
        guard reports.redis.reactor.now - report.received.monotonicTime <= ReportQueue.patience else {
            return gather(ReportAnswer(ticket: ticket, outcome: .late))
        }
        switch report.content {
        case .sync(let token, let reference, let systemActivityID):
            reports.sync(
                report.device, token: token, reference: reference, systemActivityID: systemActivityID,
                tenantID: report.admission.tenantID, limits: report.admission.limits
            ) { end in
                switch end {
                case .noted(let known, _): self.gather(ReportAnswer(ticket: ticket, outcome: .synced(known.id)))
                case .other(let outcome): self.gather(ReportAnswer(ticket: ticket, outcome: .init(outcome)))
                case .failed(let error): self.add(ReportAnswer(ticket: ticket, outcome: .failed(error)))
                }
            }
        case .follow(let name, let follows): follow(name, follows, report)
        case .change(let change):
            reports.devices.note(
                change, of: report.device, tenantID: report.admission.tenantID, report.admission.limits,
                receivedAt: report.received.wallTime
            ) { result in
                switch result {
                case .success: self.add(ReportAnswer(ticket: ticket, outcome: .changed))
                case .failure(let error): self.add(ReportAnswer(ticket: ticket, outcome: .init(failure: error)))
                }
            }
        }
    }

    private func follow(_ name: String, _ follows: Bool, _ report: DeviceReport) {
        let ticket = report.ticket
        let wish = StoredFollowers.FollowWish(
            topic: TopicID(tenantID: report.admission.tenantID, name: name), insiderID: report.device.insiderID,
            follows: follows, reportedAt: report.received.wallTime, limits: report.admission.limits)
        followers.set(wish) { result in
            switch result {
            case .success(.noted(let state)):
                self.gather(ReportAnswer(ticket: ticket, outcome: .followed(state)))
            case .success(.tooMany): self.gather(ReportAnswer(ticket: ticket, outcome: .tooManyTopics))
            case .success(.noTopic): self.gather(ReportAnswer(ticket: ticket, outcome: .noTopic))
            case .failure(let error): self.gather(ReportAnswer(ticket: ticket, outcome: .init(failure: error)))
            }
        }
    }

    private func add(_ answer: ReportAnswer) {
        // Reports that need slower calls end on another thread.
        if reports.redis.reactor.isOnReactor { gather(answer) } else { answered([answer]) }
    }

    private func gather(_ answer: ReportAnswer) {
        assert(reports.redis.reactor.isOnReactor)
        if answers.isEmpty { reports.redis.reactor.atEndOfTurn(self) }
        answers.append(answer)
    }

    /// Delivers the answers of the turn. Called by the reactor.
    public func turnEnded() {
        let answers = answers
        self.answers = []
        answered(answers)
    }
}
