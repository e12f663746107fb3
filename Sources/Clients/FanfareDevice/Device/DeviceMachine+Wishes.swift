import Foundation

extension DeviceMachine {
    // MARK: Topics

    mutating func wished(_ follows: Bool, _ topic: String, at now: Moment) -> WishOutcome {
        guard Follows.isName(topic) else { return .invalidName }
        guard let identity else { return .signedOut }
        guard !follows || self.follows.hasRoom(for: topic) else { return .full }
        let report: Report = follows ? .follow(topic: topic) : .unfollow(topic: topic)
        if let topic = self.follows.topics[topic], topic.isFollowed == follows, topic.confirmed == follows {
            return .noted
        }
        guard submit(report, identity, now) != nil else { return .full }
        self.follows.wished(follows, topic)
        return .noted
    }

    /// Requests the topics that the user follows. Returns false if no user is signed in or the queue is full.
    mutating func asked(at now: Moment) -> Bool {
        guard let identity else { return false }
        return submit(.topics, identity, now) != nil
    }

    func bell(_ topic: String) -> Bell {
        follows.bell(topic, allowsActivities: allowsActivities) { activityID in
            activities.known.values.contains { $0.activityID == activityID && $0.phase == .active } ? true : nil
        }
    }

    var followStates: [FollowState] {
        follows.topics.keys.sorted().map { name in
            let topic = follows.topics[name]
            return FollowState(
                topic: name, bell: bell(name), state: topic?.state, isConfirmed: topic?.confirmed == topic?.isFollowed)
        }
    }

    // MARK: Live Activities

    mutating func opened(_ systemID: String, as external: ExternalActivity, at now: Moment) {
        carryOut(activities.opened(systemID, as: external), now)
    }

    mutating func endedByApp(_ systemID: String, at now: Moment) {
        carryOut(activities.endedByApp(systemID), now)
    }

    /// Reports a tap for the login of the Live Activity, or else the present one. Returns false without a login or if
    /// the queue is full.
    mutating func tapped(_ systemID: String, tapID: String, at now: Moment) -> Bool {
        let activity = activities[systemID]
        guard let identity = activity?.identity ?? identity, (1...128).contains(systemID.utf8.count) else {
            return false
        }
        return submit(.tap(systemID: systemID, tapID: tapID, external: activity?.externalID), identity, now) != nil
    }

    // MARK: Schedules

    mutating func scheduled(_ change: ScheduledChange, at now: Moment) -> ScheduleOutcome {
        guard let identity, change.isValid else { return identity == nil ? .notTaken : .invalid }
        schedules.passed(at: now)
        guard schedules.add(change, identity) else { return .tooMany }
        guard submit(.schedule(change), identity, now) != nil else {
            schedules.gone(change.id)
            return .notTaken
        }
        return .queued(id: change.id)
    }

    mutating func cancelled(_ external: ExternalActivity, id: String?, at now: Moment) {
        guard let identity else { return }
        carryOut(schedules.cancel(external, id: id, identity), now)
        // Unsent schedules were withdrawn with their reports.
        for item in schedules.items where item.isCancelled {
            if !queue.waiting.contains(where: { $0.subject == "schedule:" + item.change.id }) {
                schedules.gone(item.change.id)
            }
        }
    }

    /// - Parameter pause: The seconds before the first report may be sent.
    mutating func carryOut(_ actions: [Schedules.Action], _ now: Moment, after pause: TimeInterval = 0) {
        var wait = pause > 0 ? Wait(from: now, seconds: pause) : nil
        for action in actions {
            switch action {
            case .report(let report, let identity):
                _ = submit(report, identity, now, wait)
                wait = nil
            // A schedule that the gateway may have created stays queued, because its repetition returns the id.
            case .withdraw(let ids): queue.withdraw { $0.attempt == nil && ids.contains($0.report.scheduleID ?? "") }
            }
        }
    }
}

extension Report {
    /// The library's id of the schedule; nil for other reports.
    fileprivate var scheduleID: String? {
        if case .schedule(let change) = self { change.id } else { nil }
    }
}

extension ScheduledChange {
    fileprivate var isValid: Bool {
        guard (0...604_800).contains(wait.seconds), (0...604_800).contains(expireAfter ?? 0),
            (label?.utf8.count ?? 0) <= 250
        else { return false }
        guard let contentState else { return event == .end }
        guard contentState.utf8.count <= 4096 else { return false }
        let parsed = try? JSONSerialization.jsonObject(with: Data(contentState.utf8))
        return parsed is [String: Any]
    }
}
