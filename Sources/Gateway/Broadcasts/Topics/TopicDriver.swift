import Delivery
import GatewayStore
import LiveActivity
import RosterCore
import TimeCore

/// Drives topics, one gateway at a time. It reads topic and activity (`TopicSituation`), takes one step, and reads
/// again. Every step requires the topic's lease, so a gateway that was asleep changes nothing.
struct TopicDriver {
    let service: BroadcastService
    let store: GatewayStore
    var jobs: JobWorker { service.jobs }

    init(_ service: BroadcastService) {
        self.service = service
        store = service.store
    }

    /// The number of steps in a row before other topics get their turn.
    private static let stepsInARow = 64
    /// The pause before a temporarily refused step is tried again.
    private static let refusedPause = TimeInterval.seconds(1)

    /// Drives a topic until there is nothing to do at present.
    func drive(_ id: TopicID) async throws(StoreError) {
        let lease = TopicLease(id)
        for _ in 0..<TopicDriver.stepsInARow {
            let topic: TopicRecord
            switch try await store.topics.take(lease) {
            case .mine(let record): topic = record
            case .others: return
            case .noTopic:
                jobs.topicStarts.drove(id, isWaiting: false)
                return try await store.due.drop(.topic(id))
            }
            var isRefused = false
            do {
                if try await step(topic, lease) { continue }
            } catch let error as StoreError {
                jobs.topicStarts.drove(id, isWaiting: topic.awaitsStart)
                _ = try? await leave(lease, topic, isForced: true)
                throw error
            } catch {
                isRefused = true
            }
            jobs.topicStarts.drove(
                id, isWaiting: topic.awaitsStart && (isRefused || !topic.hasWalked))
            if try await leave(lease, topic, isForced: isRefused) { return }
        }
        guard case .mine(let topic) = try await store.topics.take(lease) else { return }
        _ = try await leave(lease, topic, isForced: true)
    }

    /// Releases the lease. False if there is more to do now.
    private func leave(_ lease: TopicLease, _ topic: TopicRecord, isForced: Bool) async throws(StoreError) -> Bool {
        let pause = isForced ? TopicDriver.refusedPause : jobs.settings.topics.interval
        return try await store.topics.release(
            lease, seenTo: topic.version, next: store.wallClock() + pause, isForced: isForced)
    }

    /// Takes one step. False if there is nothing to do. Throws `BroadcastRefusal` if the step is not possible now.
    private func step(_ topic: TopicRecord, _ lease: TopicLease) async throws -> Bool {
        var record: ActivityRecord?
        if let id = topic.activityID, !topic.isOver { record = try await store.activities.activity(id) }
        let activity = record?.activity
        let isRunning = activity.map { $0.state == .started && $0.endsAt > store.wallClock() } ?? false
        switch (topic.situation(isRunning: isRunning).next, record) {
        case (.goLive, _): return try await goLive(topic, lease)
        case (.rest, _):
            // A gateway left this activity behind before its start.
            guard let former = topic.candidate else { return false }
            try await drop(former)
            _ = try await store.topics.nameCandidate(nil, lease)
            return true
        case (.conclude, _):
            // Its own item in the due queue ends it, if nothing else has.
            let reason = record?.endReason ?? .expired
            try await store.topics.conclude(lease, topic.activityID, reason: reason.name)
            return true
        case (.end, let record?): return try await end(topic, record, lease)
        case (.update, let record?): return try await update(topic, record, lease)
        case (.serveFollowers, let record?): return try await serveFollowers(topic, record, lease)
        case (_, nil): return false
        }
    }

    // MARK: Contents

    private func update(_ topic: TopicRecord, _ record: ActivityRecord, _ lease: TopicLease) async throws -> Bool {
        try service.checkRoom(record)
        guard let payload = try store.topics.updateContent(topic) else { return false }
        var draft = BroadcastDraft(
            kind: .update, scope: .wholeSegment, payload: payload,
            priority: topic.priority ?? (payload.display?.alert.isEmpty == false ? nil : 5),
            expiration: record.activity.endsAt.seconds)
        draft.covered = try await store.roster.reach(.update, in: record).followers
        draft.topic = .init(lease, tells: topic.version)
        try await begin(draft, record)
        return true
    }

    private func end(_ topic: TopicRecord, _ record: ActivityRecord, _ lease: TopicLease) async throws -> Bool {
        let payload = try store.topics.endContent(topic) ?? .end(content: nil, options: PresentationOptions())
        var draft = BroadcastDraft(
            kind: .end, scope: .wholeSegment, payload: payload, priority: topic.priority ?? 10,
            expiration: (store.wallClock() + JobWorker.shownAfterEnd).seconds)
        draft.endReason = .matchEnd
        draft.covered = try await store.roster.reach(.update, in: record).followers
        draft.topic = .init(lease, tells: topic.version)
        try await begin(draft, record)
        return true
    }

    /// Records a broadcast. False if the topic or its activity has changed; then both are read again.
    @discardableResult
    func begin(_ draft: BroadcastDraft, _ record: ActivityRecord) async throws(StoreError) -> Bool {
        guard case .success(let order) = try await store.broadcasts.begin(draft, for: record) else { return false }
        jobs.begun(order)
        return true
    }

    // MARK: Going live

    /// Cancels an activity that never started.
    private func drop(_ candidate: UniqueID) async throws(StoreError) {
        guard let record = try await store.activities.activity(candidate) else { return }
        _ = try await store.broadcasts.cancel(record.activity)
    }

    private func goLive(_ topic: TopicRecord, _ lease: TopicLease) async throws -> Bool {
        guard let payload = try store.topics.startContent(topic) else { return false }
        let now = store.wallClock()
        let endsAt = min(topic.endsAt ?? now + Lifecycle.longestLife, now + Lifecycle.longestLife)
        guard endsAt > now else {
            try await store.topics.conclude(lease, nil, reason: EndReason.expired.name)
            return true
        }
        // Earlier steps read all other followers and could start none. A changed list causes a new read.
        let hasWalked = topic.hasWalked
        let queued = hasWalked ? try await store.topicActivities.queued(topic.id) : []
        if hasWalked, queued.isEmpty { return false }
        let id = topic.id.newActivityID()
        let candidate = try await store.topics.nameCandidate(id, lease)
        guard candidate.isHeld else { return true }
        if let former = candidate.former { try await drop(former) }
        // All followers are read now, which covers the change.
        if !hasWalked { try await store.topicActivities.forgetListChange(lease, nil) }
        let renewal = LeaseRenewal(store, lease)
        let record = try await store.topicActivities.makeActivity(
            id, of: topic, followers: hasWalked ? queued.map(\.insiderID) : nil, endsAt: endsAt,
            served: service.routeKinds(of: topic.id.tenantID), checkpoint: renewal.renew)
        guard let record else {
            _ = try await store.topics.nameCandidate(nil, lease)
            if hasWalked {
                try await store.topicActivities.settle(queued, later: [], topic.id)
            } else {
                try await store.topicActivities.noteWalk(topic, lease)
            }
            return true
        }
        try service.checkRoom(record)
        if try await begin(startDraft(payload, topic, record, lease), record), hasWalked {
            try await store.topicActivities.settle(queued, later: [], topic.id)
        }
        return true
    }

    private func startDraft(
        _ payload: Payload, _ topic: TopicRecord, _ record: ActivityRecord, _ lease: TopicLease
    ) async -> BroadcastDraft {
        var draft = BroadcastDraft(
            kind: .start, scope: .wholeSegment, payload: payload.adding(idOf: record.activity),
            priority: topic.priority ?? 10,
            expiration: (store.wallClock() + BroadcastService.startLife).seconds)
        draft.channels = await service.channels(for: record, .wholeSegment)
        draft.topic = .init(lease, tells: topic.version, life: topic.life)
        return draft
    }
}

extension TopicRecord {
    /// True if the topic is live and has no activity of this life.
    fileprivate var awaitsStart: Bool { situation(isRunning: false).next == .goLive }
}

/// Renews a topic's lease during long work.
actor LeaseRenewal {
    private let store: GatewayStore
    private let lease: TopicLease
    private var last = MonotonicTime.now()

    /// The time between renewals, much shorter than a lease.
    private static let period = TimeInterval.seconds(2)

    init(_ store: GatewayStore, _ lease: TopicLease) {
        self.store = store
        self.lease = lease
    }

    /// Renews the lease when due; throws if it is lost.
    func renew() async throws {
        guard last + LeaseRenewal.period <= MonotonicTime.now() else { return }
        last = .now()
        guard case .mine = try await store.topics.take(lease) else { throw BroadcastRefusal.contended }
    }
}
