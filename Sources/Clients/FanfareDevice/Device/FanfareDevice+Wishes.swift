public import Foundation

extension FanfareDevice {
    // MARK: Sign-in and description

    /// Sets the signed-in user and the description of the phone. Call it at every launch; unchanged data is not sent
    /// again. Tokens that the system has already issued are reported for this user.
    public func signIn(_ identity: DeviceIdentity, _ description: DeviceDescription) {
        change { $0.signedIn(identity, description, at: $1) }
    }

    /// Updates the description of the phone, for example after an update of iOS or a changed consent.
    public func describe(_ description: DeviceDescription) {
        change { $0.described(description, at: $1) }
    }

    /// Signs the user out. Ends the Live Activities on this phone, and erases the device at the gateway once that is
    /// reachable. Pending changes of topics are sent first.
    public func signOut() {
        change { $0.signedOut(at: $1) }
    }

    // MARK: Topics

    /// Follows a topic. The bell changes at once.
    public func follow(_ topic: String) -> WishOutcome { change { $0.wished(true, topic, at: $1) } }

    /// Unfollows a topic. The bell changes at once, and the gateway ends the Live Activity.
    public func unfollow(_ topic: String) -> WishOutcome { change { $0.wished(false, topic, at: $1) } }

    /// The state of the bell next to a topic.
    public func bell(_ topic: String) -> Bell { machine.bell(topic) }

    /// All topics that the user follows or that have a pending change, by name.
    public var follows: [FollowState] { machine.followStates }

    /// Requests the user's topics and their states from the gateway. They include those followed on other phones or set
    /// by the customer.
    /// - Parameter seconds: The time limit.
    /// - Returns: True if `follows` is now up to date.
    public func refreshFollows(within seconds: TimeInterval = 15) async -> Bool {
        guard change({ $0.asked(at: $1) }) else { return false }
        if case .done(true) = await wait(.listing(waiters.number()), for: seconds, otherwise: .done(false)) {
            return true
        }
        return false
    }

    // MARK: Live Activities

    /// The known Live Activities on this phone, ordered by system id.
    public var liveActivities: [KnownLiveActivity] {
        machine.activities.known.values.sorted { $0.systemID < $1.systemID }
    }

    /// Names a Live Activity that the app started without `ActivityKitSystem.start` and that this library has found.
    public func opened(_ systemID: String, as external: ExternalActivity) {
        change { $0.opened(systemID, as: external, at: $1) }
    }

    /// Ends a Live Activity on this phone and reports its dismissal. For a topic's Live Activity this unfollows the
    /// topic, like a user's dismissal.
    public func end(_ systemID: String) {
        change { $0.endedByApp(systemID, at: $1) }
    }

    /// Reports a tap, and waits for its attribution.
    /// - Parameter seconds: The time limit.
    public func tapped(_ systemID: String, within seconds: TimeInterval = 10) async -> TapOutcome {
        let tapID = UUID().uuidString
        guard change({ $0.tapped(systemID, tapID: tapID, at: $1) }) else { return .notTaken }
        if case .tap(let outcome) = await wait(.tap(tapID), for: seconds, otherwise: .tap(.queued)) { return outcome }
        return .queued
    }

    // MARK: Schedules

    /// Schedules an update or end of the user's Live Activities of an app-started activity. The app need not run at
    /// that time.
    /// - Parameters:
    ///   - event: The change.
    ///   - seconds: The delay in seconds from now, at most seven days. It also passes while the gateway is unreachable.
    ///   - external: The activity.
    ///   - contentState: A JSON object, passed through byte for byte. Required for an update.
    ///   - label: A name for display.
    ///   - expireAfter: The seconds after which a late change is dropped; nil for no limit.
    public func schedule(
        _ event: ScheduledChange.Event, in seconds: TimeInterval, of external: ExternalActivity,
        contentState: String? = nil, label: String? = nil, expireAfter: Int? = nil
    ) -> ScheduleOutcome {
        change { machine, now in
            machine.scheduled(
                ScheduledChange(
                    id: UUID().uuidString, external: external, event: event, contentState: contentState, label: label,
                    expireAfter: expireAfter, wait: Wait(from: now, seconds: seconds)), at: now)
        }
    }

    /// Cancels the schedules of an activity.
    /// - Parameter id: The schedule to cancel. Nil cancels all of the user and activity, including those of other
    ///   phones.
    public func cancelSchedules(of external: ExternalActivity, id: String? = nil) {
        change { $0.cancelled(external, id: id, at: $1) }
    }

    /// The pending schedules that this phone knows.
    public var scheduled: [ScheduledChange] { machine.schedules.items.filter { !$0.isCancelled }.map(\.change) }

    // MARK: Reporting

    /// Retries now unless the gateway requested a pause. Call it when the network is back or the app is opened.
    public func retryNow() { change { machine, _ in machine.retried() } }

    /// Waits until all reports are sent. Call it in a background task if the system woke the app in the background.
    /// - Parameter seconds: The time limit.
    /// - Returns: True if no report is waiting.
    public func flush(within seconds: TimeInterval) async -> Bool {
        if machine.queue.waiting.isEmpty { return true }
        if case .done(true) = await wait(.flush(waiters.number()), for: seconds, otherwise: .done(false)) {
            return true
        }
        return false
    }

    private func wait(
        _ kind: Waiters.Kind, for seconds: TimeInterval, otherwise answer: Waiters.Answer
    ) async -> Waiters.Answer {
        let limit = Task { [weak self, clock] in
            guard (try? await clock.sleep(seconds: seconds)) != nil else { return }
            await self?.giveUp(kind, answer)
        }
        defer { limit.cancel() }
        return await withCheckedContinuation { waiters.add(kind, $0, otherwise: answer) }
    }

    private func giveUp(_ kind: Waiters.Kind, _ answer: Waiters.Answer) { waiters.resume(kind, answer) }
}
