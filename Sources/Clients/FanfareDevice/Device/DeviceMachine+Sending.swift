import Foundation

extension DeviceMachine {
    /// A request to send, with the id for its answer.
    struct Sending: Equatable, Sendable {
        let id: UInt64
        let request: GatewayRequest
    }

    /// Handles an app launch. The request in flight may have arrived. Ends all pauses except those that the gateway
    /// requested, because a launch in the background lasts only seconds.
    mutating func launched(at now: Moment) {
        if let id = queue.underWay, let queued = queue.ended(id) { lost(queued, now) }
        queue.launched(at: now)
        activities.launched(at: now)
        schedules.launched(at: now)
        if queue.hold?.isDemanded == false { queue.hold = nil }
    }

    /// Ends all pauses except those that the gateway requested. Called when the network is back or the app asks for it.
    mutating func retried() {
        if queue.hold?.isDemanded == false { queue.hold = nil }
    }

    /// Begins the next request that is due. Returns nil if there is none.
    mutating func nextSending(at now: Moment) -> Sending? {
        for queued in queue.forgotten(at: now) { renew(queued, now) }
        guard let queued = queue.begin(at: now) else { return nil }
        let request = GatewayRequest(queued.report, for: queued.identity, at: now)
        guard queued.report.hasKey else { return Sending(id: queued.id, request: request) }
        return Sending(id: queued.id, request: request.said(as: queue.attempt(queued, body: request.body, at: now)))
    }

    /// Handles the end of a request.
    mutating func answered(_ id: UInt64, _ answer: GatewayAnswer, at now: Moment, draw: Double) {
        guard let queued = queue.ended(id) else { return }
        let verdict = Verdict(answer, to: queued.report)
        if verdict.isDoubtful { queue.isInDoubt(id) } else { queue.cameToNothing(id) }
        switch verdict {
        case .delivered(let reply):
            queue.served()
            queue.confirm(queued, at: now, settling: settings.retry.settling)
            delivered(queued, reply, now)
        case .refused("IDEMPOTENCY_KEY_REUSED", let message) where queued.report.hasKey:
            queue.served()
            renew(queued, now)
            if case .schedule = queued.report { break }
            postpone(queued, settings.retry.pauses, "IDEMPOTENCY_KEY_REUSED", message, now, draw)
        case .refused(let code, let message):
            queue.served()
            queue.remove(id)
            refused(queued, code: code, message: message, at: now)
        case .tooEarly(let code, let message):
            queue.served()
            postpone(queued, settings.retry.pauses, code, message, now, draw)
        case .unanswered(let mayHaveArrived):
            if mayHaveArrived { lost(queued, now) }
            trouble(queued, after: nil, isOfAll: !mayHaveArrived, now, draw)
        case .unsigned where queued.identity != identity, .unauthorized where queued.identity != identity:
            // The app may no longer have a signature for a user who has signed out. Other reports do not wait for it.
            act(.renewSignature(queued.identity))
            postpone(queued, settings.retry.probes, "UNAUTHORIZED", "", now, draw)
        case .unsigned: trouble(queued, after: nil, isOfAll: true, now, draw)
        case .unavailable(let after): trouble(queued, after: after, isOfAll: after != nil, now, draw)
        case .switchedOff: pause(queued, .switchedOff, "", isOfAll: true, now, draw)
        case .forbidden(let message, let isGateways):
            pause(queued, .forbidden, message, isOfAll: isGateways, now, draw)
        case .unauthorized(let message): unauthorized(queued, message, now, draw)
        }
        if case .delivered = verdict { return }
        queue.dropIfReplaced(queued)
        if queued.identity != identity, !queued.report.outlivesSignOut { queue.remove(id) }
    }

    /// - Parameter isOfAll: True if the problem affects all reports.
    private mutating func trouble(
        _ queued: QueuedReport, after: TimeInterval?, isOfAll: Bool, _ now: Moment, _ draw: Double
    ) {
        if case .paused = queue.hold?.cause { queue.failures = 0 }
        let (failures, report) = failed(queued, isOfAll)
        var seconds = settings.retry.pauses.pause(after: failures, draw: draw)
        if let after {
            // Honours the requested time, and adds a random part so that phones do not retry at once.
            let asked = min(max(after, 0), settings.retry.longestRetryAfter)
            seconds = max(seconds, asked + draw * min(30, asked / 2))
        }
        queue.hold = Hold(
            cause: .trouble, wait: Wait(from: now, seconds: seconds), isDemanded: after != nil, report: report)
    }

    private mutating func pause(
        _ queued: QueuedReport, _ reason: PauseReason, _ message: String, isOfAll: Bool, _ now: Moment, _ draw: Double
    ) {
        if case .paused(reason, _) = queue.hold?.cause {} else { queue.failures = 0 }
        let (failures, report) = failed(queued, isOfAll)
        queue.hold = Hold(
            cause: .paused(reason, message: message),
            wait: Wait(from: now, seconds: settings.retry.probes.pause(after: failures, draw: draw)),
            isDemanded: false, report: report)
    }

    /// Counts a failure. Unless the problem affects all reports, the first report that fails is held alone, with its
    /// own count. If another one fails as well, the cause is not the report, and all are held.
    private mutating func failed(_ queued: QueuedReport, _ isOfAll: Bool) -> (failures: Int, report: UInt64?) {
        queue.failed(queued.id)
        let isAlone = !isOfAll && (queue.hold.map { $0.report == queued.id } ?? true)
        return isAlone ? (queued.failures + 1, queued.id) : (queue.failures, nil)
    }

    /// Requests a new signature. Retries at once the first time, and pauses afterwards.
    private mutating func unauthorized(_ queued: QueuedReport, _ message: String, _ now: Moment, _ draw: Double) {
        act(.renewSignature(queued.identity))
        if case .paused(.unauthorized, _) = queue.hold?.cause {
            pause(queued, .unauthorized, message, isOfAll: true, now, draw)
        } else {
            queue.failures = 0
            queue.hold = Hold(
                cause: .paused(.unauthorized, message: message), wait: Wait(from: now, seconds: 0), isDemanded: false)
        }
    }

    /// Retries a single report later. Drops it after `triesOfOne` tries.
    private mutating func postpone(
        _ queued: QueuedReport, _ backoff: Backoff, _ code: String, _ message: String, _ now: Moment, _ draw: Double
    ) {
        guard queued.tries + 1 < settings.retry.triesOfOne else {
            queue.remove(queued.id)
            return refused(queued, code: code, message: message, at: now)
        }
        queue.postpone(queued.id, Wait(from: now, seconds: backoff.pause(after: queued.tries + 1, draw: draw)))
    }

    private mutating func lost(_ queued: QueuedReport, _ now: Moment) {
        queue.isInDoubt(queued.id)
        queue.lost(queued, at: now, settling: settings.retry.settling)
        queue.dropIfReplaced(queued)
    }

    /// Submits a report again whose idempotency key may have expired. Because a schedule may exist already, all
    /// schedules of its activity are cancelled first. The pause before that grows with each time.
    private mutating func renew(_ queued: QueuedReport, _ now: Moment) {
        guard case .schedule(let change) = queued.report else { return queue.abandonAttempt(queued.id) }
        queue.remove(queued.id)
        schedules.passed(at: now)
        let doubts = queued.doubts + 1
        let pause = doubts > 1 ? settings.retry.probes.pause(after: doubts - 1, draw: 1) : settings.retry.settling
        carryOut(schedules.uncertain(change, queued.identity), now, after: pause)
        queue.carryOver(queued, doubts: doubts)
    }

    // MARK: Replies

    private mutating func delivered(_ queued: QueuedReport, _ reply: GatewayReply, _ now: Moment) {
        switch queued.report {
        case .sync(let sync):
            if let id = reply.activityID { activities.named(sync.systemID, activityID: id) }
        case .follow(let topic): if isOfUser(queued) { follows.confirmed(true, topic, state: reply.state) }
        case .unfollow(let topic): if isOfUser(queued) { follows.confirmed(false, topic, state: reply.state) }
        case .topics:
            let waiting = queue.waiting.compactMap { queued -> String? in
                switch queued.report {
                case .follow(let topic), .unfollow(let topic): isOfUser(queued) ? topic : nil
                default: nil
                }
            }
            if isOfUser(queued), let topics = reply.topics {
                follows.listed(topics, waiting: Set(waiting))
            }
            act(.listed(reply.topics != nil))
        case .tap(_, let tapID, _):
            let tap = TapAttribution(
                activityID: reply.activityID, scheduleID: reply.scheduleID, scheduleName: reply.scheduleName)
            act(.tapAnswered(tapID: tapID, .attributed(tap)))
        case .schedule(let change):
            guard let id = reply.scheduleID else { break }
            // The gateway counts the offset from the first request that it received.
            let delay = queued.attempt.map { now.elapsed(since: $0.at) } ?? 0
            carryOut(schedules.scheduled(change.id, as: id, isLate: delay > settings.retry.settling), now)
        case .erase:
            queue.forgetConfirmations { $0.identity == queued.identity }
        case .device, .pushToStartToken, .dismissed, .cancelSchedules: break
        }
    }

    private func isOfUser(_ queued: QueuedReport) -> Bool { queued.identity.insiderID == identity?.insiderID }

    /// Handles a permanent refusal.
    mutating func refused(_ queued: QueuedReport, code: String, message: String, at now: Moment) {
        queue.note(Refusal(kind: queued.report.kind, code: code, message: message, at: now.wall))
        switch queued.report {
        case .follow(let topic): if isOfUser(queued) { follows.refused(true, topic) }
        case .unfollow(let topic): if isOfUser(queued) { follows.refused(false, topic) }
        case .tap(_, let tapID, _): act(.tapAnswered(tapID: tapID, .unknown))
        case .topics: act(.listed(false))
        case .schedule(let change): schedules.gone(change.id)
        case .sync(let sync) where sync.external != nil:
            // The gateway takes no activities of an unknown device. The next description of the device is then sent
            // again.
            queue.forgetConfirmations { $0.identity == queued.identity }
        case .sync(let sync) where code == "NOT_FOUND": carryOut(activities.unknown(sync.systemID), now)
        case .device, .pushToStartToken, .sync, .dismissed, .cancelSchedules, .erase: break
        }
    }
}
