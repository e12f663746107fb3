import Delivery
import GatewayStore
import LiveActivity
import TimeCore

extension TopicDriver {
    /// Starts new followers of a live topic and ends former ones, in batches. False if there is nothing to do.
    func serveFollowers(_ topic: TopicRecord, _ record: ActivityRecord, _ lease: TopicLease) async throws -> Bool {
        try service.checkRoom(record)
        let settings = jobs.settings.topics
        if topic.hasUnstarted {
            let left = try await store.topicActivities.unstarted.find(topic, in: record)
            guard !left.starts.isEmpty else {
                try await store.topicActivities.clearPlacing(lease)
                return true
            }
            try await start(left, topic, record, lease)
            return true
        }
        try await queueMissed(topic, record, lease)
        let followers = try await store.topicActivities.queued(topic.id)
        guard !followers.isEmpty else { return false }
        let work = try await store.topicActivities.work(
            for: followers.map(\.insiderID), in: record, lease, served: service.routeKinds(of: topic.id.tenantID),
            healLimit: settings.healLimit, contentSince: topic.changedAt)
        guard work.isPlaced else { return true }
        if work.hasRefusedContent, topic.refusedVersion != topic.version {
            try await store.topicActivities.noteRefusedContent(topic.version, lease)
        }
        if !work.starts.isEmpty {
            guard try await start(work, topic, record, lease) else { return true }
        }
        if !work.ends.isEmpty, try await !endUnfollowed(work, record, lease) { return true }
        let served = Set(work.followers)
        try await store.topicActivities.settle(
            followers.filter { served.contains($0.insiderID) }, later: work.later, topic.id)
        // During a storm, the next followers gather for a common start.
        if followers.count < StoredTopicActivities.batch { try await Task.sleep(for: TopicDriver.gathering) }
        return true
    }

    /// Queues the followers that a changed list adds or drops, and from time to time those that have lost their Live
    /// Activity.
    private func queueMissed(_ topic: TopicRecord, _ record: ActivityRecord, _ lease: TopicLease) async throws {
        let settings = jobs.settings.topics
        if topic.needsComparison {
            try await store.topicActivities.compareList(
                of: topic, in: record, checkpoint: LeaseRenewal(store, lease).renew)
            if let changes = topic.listChanges {
                try await store.topicActivities.forgetListChange(lease, changes)
            }
            if topic.refusedVersion != nil { try await store.topicActivities.noteRefusedContent(nil, lease) }
        }
        if store.topicActivities.isTimeForLook(topic, interval: settings.interval) {
            _ = try await store.topicActivities.lookForLost(topic, in: record)
            try await store.topicActivities.noteLook(lease)
        }
    }

    /// The time for which followers gather, because a broadcast costs much more than another device in it.
    private static let gathering = Duration.milliseconds(50)

    /// Begins a start for devices with new slots in a running activity. False if it was not recorded.
    @discardableResult
    private func start(
        _ work: FollowerWork, _ topic: TopicRecord, _ record: ActivityRecord, _ lease: TopicLease
    ) async throws -> Bool {
        guard let payload = try store.topics.startContent(topic) else { return false }
        var draft = BroadcastDraft(
            kind: .start, scope: .slots(work.starts), payload: payload.adding(idOf: record.activity), priority: 10,
            expiration: (store.wallClock() + BroadcastService.startLife).seconds)
        draft.topic = .init(lease, joined: work.users)
        draft.origin.source = work.source
        return try await begin(draft, record)
    }

    /// Begins an end for former followers. False if it was not recorded.
    private func endUnfollowed(
        _ work: FollowerWork, _ record: ActivityRecord, _ lease: TopicLease
    ) async throws -> Bool {
        let (synced, silent) = try await store.topicActivities.sorted(work.ends, in: record.activity)
        var audience = Audience(scope: .slots(synced), count: synced.count)
        // The device may be getting a start. The end waits for its token, and a new follow cancels the end.
        audience.awaited = silent
        var draft = BroadcastDraft(
            kind: .end, scope: audience.scope,
            payload: .end(content: nil, options: PresentationOptions(dismissalDate: store.wallClock().seconds)),
            priority: 10, expiration: record.activity.endsAt.seconds)
        draft.endReason = .userUnfollow
        draft.topic = .init(lease)
        draft.origin.source = work.source
        return try await service.recorded(draft, audience, record) != nil
    }
}
