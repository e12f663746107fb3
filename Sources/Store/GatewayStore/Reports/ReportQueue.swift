public import LiveActivity
import Reactor
import RedisClient
public import TimeCore

/// A device's report that has been let in.
public struct DeviceReport: Sendable {
    /// What the device says.
    public enum Content: Sendable {
        case sync(token: [UInt8]?, reference: ActivityReference, systemActivityID: String?)
        case change(DeviceChange)
        /// The device's user follows a topic, or follows it no more.
        case follow(topic: String, Bool)
    }

    /// Names the report to whoever waits for its answer.
    public let ticket: Int
    /// Whose key it came with.
    public let tenantID: String
    /// Which device says it.
    public let device: DeviceKey
    /// What the device says.
    public let content: Content
    /// When it had come in whole.
    public let received: Reception
    /// How much the tenant may use.
    public let limits: TenantLimits

    /// When a report had come in whole.
    public struct Reception: Sendable {
        /// By the store's clock: of two reports the later one counts, whichever is carried out first.
        public let wallTime: WallTime
        /// Tells how long it has waited, also in a process that was stopped meanwhile.
        public let monotonicTime: MonotonicTime

        public init(wallTime: WallTime, monotonicTime: MonotonicTime) {
            self.wallTime = wallTime
            self.monotonicTime = monotonicTime
        }
    }

    public init(
        ticket: Int, tenantID: String, limits: TenantLimits, device: DeviceKey, content: Content, received: Reception
    ) {
        self.limits = limits
        self.received = received
        self.ticket = ticket
        self.tenantID = tenantID
        self.device = device
        self.content = content
    }
}

/// What a report came to.
public struct ReportAnswer: Sendable {
    /// Small for nearly every report: what needs a whole record lies elsewhere.
    public enum Outcome: Sendable {
        /// A change is noted.
        case changed
        /// A wish to follow a topic, or not to any more, is noted; where the topic stands.
        case followed(TopicState)
        /// There is no such topic.
        case noTopic
        /// The user follows as many topics as a user may.
        case tooManyTopics
        /// A sync is noted, for this activity.
        case synced(UniqueID)
        /// The broadcast named is to be sent to the device at once. The report itself is noted, or came when the activity's
        /// time was up.
        indirect case ended(ActivityRecord, slot: UInt32, by: UniqueID, isOver: Bool)
        /// A sync is noted, and the update is to be sent to the device at once.
        indirect case behind(ActivityRecord, slot: UInt32, MissedUpdate)
        /// A sync is noted, and the Live Activity is to be ended at once.
        indirect case dismissed(ActivityRecord, slot: UInt32)
        // See `SyncOutcome`.
        case notFound
        case typeMismatch(registered: String)
        case notStarted
        case failed(StoreError)
        /// It has waited too long to be carried out: what it says may be true no more.
        case late

        init(failure: StoreError) {
            self = failure == .tooOldReport ? .late : .failed(failure)
        }

        init(_ outcome: SyncOutcome) {
            switch outcome {
            case .notFound: self = .notFound
            case .typeMismatch(let registered): self = .typeMismatch(registered: registered)
            case .notStarted: self = .notStarted
            case .synced(let record, _, nil): self = .synced(record.activity.id)
            case .synced(let record, let slot, let lateEnd?):
                self = .ended(record, slot: slot, by: lateEnd, isOver: false)
            case .behind(let record, let slot, let update): self = .behind(record, slot: slot, update)
            case .dismissed(let record, let slot): self = .dismissed(record, slot: slot)
            case .over(_, _, nil): self = .notFound
            case .over(let record, let slot, let lateEnd?):
                self = .ended(record, slot: slot, by: lateEnd, isOver: true)
            }
        }
    }

    /// That of the report.
    public let ticket: Int
    /// What it came to, and what is to be done for the device.
    public let outcome: Outcome
}

/// Carries reports of devices to the store's reactor and their answers back, both in batches: one hop for all reports
/// of a caller's turn, and one for all answers of a turn of the reactor.
///
/// `carryOut` may be called from any thread; everything else is confined to the reactor.
public final class ReportQueue: TurnParticipant, @unchecked Sendable {
    private let reports: StoredReports
    private let followers: StoredFollowers
    private let answered: @Sendable ([ReportAnswer]) -> Void
    private var answers: [ReportAnswer] = []

    /// - Parameter answered: takes the answers, in any order, each report's once. Called on the reactor, or by
    ///   `carryOut` when the reactor has stopped.
    public init(
        _ reports: StoredReports, _ followers: StoredFollowers, answered: @escaping @Sendable ([ReportAnswer]) -> Void
    ) {
        self.reports = reports
        self.followers = followers
        self.answered = answered
    }

    /// Has the reports carried out, in any order. From any thread; returns at once.
    public func carryOut(_ reports: [DeviceReport]) {
        let taken = self.reports.redis.reactor.execute {
            for report in reports { self.carryOut(report) }
        }
        guard !taken else { return }
        answered(reports.map { ReportAnswer(ticket: $0.ticket, outcome: .failed(ReportQueue.stopped)) })
    }

    private static let stopped = StoreError.unavailable("the reactor has stopped")

    /// How long a report may wait before it is carried out.
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
                tenantID: report.tenantID, limits: report.limits
            ) { end in
                switch end {
                case .noted(let known, _): self.gather(ReportAnswer(ticket: ticket, outcome: .synced(known.id)))
                case .other(let outcome): self.gather(ReportAnswer(ticket: ticket, outcome: .init(outcome)))
                case .failed(let error): self.add(ReportAnswer(ticket: ticket, outcome: .failed(error)))
                }
            }
        case .follow(let name, let follows):
            let wish = StoredFollowers.FollowWish(
                topic: TopicID(tenantID: report.tenantID, name: name), insiderID: report.device.insiderID,
                follows: follows, reportedAt: report.received.wallTime, limits: report.limits)
            followers.set(wish) { result in
                switch result {
                case .success(.noted(let state)):
                    self.gather(ReportAnswer(ticket: ticket, outcome: .followed(state)))
                case .success(.tooMany): self.gather(ReportAnswer(ticket: ticket, outcome: .tooManyTopics))
                case .success(.noTopic): self.gather(ReportAnswer(ticket: ticket, outcome: .noTopic))
                case .failure(let error): self.gather(ReportAnswer(ticket: ticket, outcome: .init(failure: error)))
                }
            }
        case .change(let change):
            reports.devices.note(
                change, of: report.device, tenantID: report.tenantID, report.limits,
                receivedAt: report.received.wallTime
            ) { result in
                switch result {
                case .success: self.add(ReportAnswer(ticket: ticket, outcome: .changed))
                case .failure(let error): self.add(ReportAnswer(ticket: ticket, outcome: .init(failure: error)))
                }
            }
        }
    }

    private func add(_ answer: ReportAnswer) {
        // What took a longer way ends on another thread.
        if reports.redis.reactor.isOnReactor { gather(answer) } else { answered([answer]) }
    }

    private func gather(_ answer: ReportAnswer) {
        assert(reports.redis.reactor.isOnReactor)
        if answers.isEmpty { reports.redis.reactor.atEndOfTurn(self) }
        answers.append(answer)
    }

    /// Tells the answers of the turn. The reactor calls it.
    public func turnEnded() {
        let answers = answers
        self.answers = []
        answered(answers)
    }
}
