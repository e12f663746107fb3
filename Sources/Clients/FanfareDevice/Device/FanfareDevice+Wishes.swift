public import Foundation

extension FanfareDevice {
    // MARK: Who and what

    /// Says who is signed in, and what the phone is. To be called at every launch as well: what the gateway knows is
    /// not told again. Whatever tokens the system has given before are reported for this user from now on.
    public func signIn(_ identity: DeviceIdentity, _ description: DeviceDescription) {
        change { $0.signedIn(identity, description, at: $1) }
    }

    /// Says what has changed of the phone: an update of the system, a consent, a setting.
    public func describe(_ description: DeviceDescription) {
        change { $0.described(description, at: $1) }
    }

    /// The user signs out: the Live Activities on this phone are ended, and the gateway forgets the device as soon as
    /// it is reached. Wishes that wait are told before.
    public func signOut() {
        change { $0.signedOut(at: $1) }
    }

    // MARK: Topics

    /// Follows a topic. The bell shows it at once.
    public func follow(_ topic: String) -> WishOutcome { change { $0.wished(true, topic, at: $1) } }

    /// Follows a topic no more. The bell shows it at once; its Live Activity is ended by the gateway.
    public func unfollow(_ topic: String) -> WishOutcome { change { $0.wished(false, topic, at: $1) } }

    /// What a bell beside a topic shows.
    public func bell(_ topic: String) -> Bell { machine.bell(topic) }

    /// All topics that the user follows, or of which a wish waits, by name.
    public var follows: [FollowState] { machine.followStates }

    /// Asks the gateway what the user follows, also by other phones and by the customer's lists, and where the topics
    /// stand.
    /// - Parameter seconds: how long to wait for the answer.
    /// - Returns: whether `follows` is up to date now.
    public func refreshFollows(within seconds: TimeInterval = 15) async -> Bool {
        guard change({ $0.asked(at: $1) }) else { return false }
        if case .done(true) = await wait(.listing(waiters.number()), for: seconds, otherwise: .done(false)) {
            return true
        }
        return false
    }

    // MARK: Live Activities

    /// Those on this phone that the library knows.
    public var liveActivities: [KnownLiveActivity] {
        machine.activities.known.values.sorted { $0.systemID < $1.systemID }
    }

    /// Says what the app calls a Live Activity that it has opened by itself, without `ActivityKitSystem.start`, and
    /// that this library has found.
    public func opened(_ systemID: String, as external: ExternalActivity) {
        change { $0.opened(systemID, as: external, at: $1) }
    }

    /// Ends a Live Activity on this phone and reports that it is gone. On a topic's that is an unfollow, as a user's
    /// dismissal is.
    public func end(_ systemID: String) {
        change { $0.endedByApp(systemID, at: $1) }
    }

    /// Reports a tap, and waits for what the Live Activity belongs to.
    /// - Parameter seconds: how long to wait for the answer.
    public func tapped(_ systemID: String, within seconds: TimeInterval = 10) async -> TapOutcome {
        let tapID = UUID().uuidString
        guard change({ $0.tapped(systemID, tapID: tapID, at: $1) }) else { return .notTaken }
        if case .tap(let outcome) = await wait(.tap(tapID), for: seconds, otherwise: .tap(.queued)) { return outcome }
        return .queued
    }

    // MARK: Schedules

    /// Has an update or end carried out later on the user's Live Activities of an activity that the app has opened,
    /// whether or not the app runs then.
    /// - Parameters:
    ///   - event: what is carried out.
    ///   - seconds: in how many seconds, seven days at most. They count from now, also while the gateway cannot be
    ///     reached.
    ///   - external: the activity.
    ///   - contentState: a JSON object, passed through byte for byte; an update needs it.
    ///   - label: a name for people.
    ///   - expireAfter: how many seconds late it may be carried out; nil: however late.
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

    /// Takes back what this app has scheduled for an activity.
    /// - Parameter id: only this one; nil: all that wait for the user and activity, also what another phone has
    ///   scheduled.
    public func cancelSchedules(of external: ExternalActivity, id: String? = nil) {
        change { $0.cancelled(external, id: id, at: $1) }
    }

    /// What is scheduled and not carried out yet, as far as this phone knows.
    public var scheduled: [ScheduledChange] { machine.schedules.items.filter { !$0.isCancelled }.map(\.change) }

    // MARK: Reporting

    /// Tries at once, unless the gateway has asked for a pause: the network is back, or the app was opened.
    public func retryNow() { change { machine, _ in machine.retried() } }

    /// Waits until all is told. An app that was woken in the background calls it inside a background task, so that the
    /// system lets it finish.
    /// - Parameter seconds: how long to wait.
    /// - Returns: whether all is told.
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
