import Foundation

extension DeviceMachine {
    /// A request to send, and by what its end is told.
    struct Sending: Equatable, Sendable {
        let id: UInt64
        let request: GatewayRequest
    }

    /// The app runs again. What was on its way may have arrived. Pauses are over but for those that the gateway asked for: a
    /// launch in the background lasts seconds.
    mutating func launched(at now: Moment) {
        if let id = queue.underWay, let queued = queue.ended(id) { lost(queued, now) }
        activities.launched(at: now)
        if queue.hold?.isDemanded == false { queue.hold = nil }
    }

    /// The network is back, or the app wants to know: pauses are over but for those that the gateway asked for.
    mutating func retried() {
        if queue.hold?.isDemanded == false { queue.hold = nil }
    }

    /// Takes the next request that is to be sent now; nil: none.
    mutating func nextSending(at now: Moment) -> Sending? {
        guard let queued = queue.begin(at: now) else { return nil }
        return Sending(id: queued.id, request: GatewayRequest(queued.report, for: queued.identity, at: now))
    }

    /// A request has ended.
    mutating func answered(_ id: UInt64, _ answer: GatewayAnswer, at now: Moment, draw: Double) {
        guard let queued = queue.ended(id) else { return }
        let verdict = Verdict(answer, to: queued.report)
        switch verdict {
        case .delivered(let reply):
            served()
            queue.confirm(queued, at: now, settling: settings.retry.settling)
            delivered(queued, reply, now)
        case .refused(let code, let message):
            served()
            queue.remove(id)
            refused(queued, code: code, message: message, at: now)
        case .tooEarly(let code, let message):
            served()
            postpone(queued, settings.retry.pauses, code, message, now, draw)
        case .unanswered(let mayHaveArrived):
            if mayHaveArrived { lost(queued, now) }
            trouble(after: nil, now, draw)
        case .unsigned where queued.identity != identity, .unauthorized where queued.identity != identity:
            // The app may have nobody any more who signs for a user that has signed out; others do not wait for that.
            act(.renewSignature(queued.identity))
            postpone(queued, settings.retry.probes, "UNAUTHORIZED", "", now, draw)
        case .unsigned: trouble(after: nil, now, draw)
        case .unavailable(let after): trouble(after: after, now, draw)
        case .switchedOff: pause(.switchedOff, "", now, draw)
        case .forbidden(let message): pause(.forbidden, message, now, draw)
        case .unauthorized(let message): unauthorized(queued, message, now, draw)
        }
        if case .delivered = verdict { return }
        queue.dropIfReplaced(queued)
    }

    private mutating func served() {
        queue.hold = nil
        queue.failures = 0
    }

    private mutating func trouble(after: TimeInterval?, _ now: Moment, _ draw: Double) {
        if case .paused = queue.hold?.cause { queue.failures = 0 }
        queue.failures += 1
        var seconds = settings.retry.pauses.pause(after: queue.failures, draw: draw)
        if let after {
            // Not before the time that was asked for, and not all phones at once.
            let asked = min(max(after, 0), settings.retry.longestRetryAfter)
            seconds = max(seconds, asked + draw * min(30, asked / 2))
        }
        queue.hold = Hold(cause: .trouble, wait: Wait(from: now, seconds: seconds), isDemanded: after != nil)
    }

    private mutating func pause(_ reason: PauseReason, _ message: String, _ now: Moment, _ draw: Double) {
        if case .paused(reason, _) = queue.hold?.cause {} else { queue.failures = 0 }
        queue.failures += 1
        queue.hold = Hold(
            cause: .paused(reason, message: message),
            wait: Wait(from: now, seconds: settings.retry.probes.pause(after: queue.failures, draw: draw)),
            isDemanded: false)
    }

    /// The first time a fresh signature is asked for, and tried at once.
    private mutating func unauthorized(_ queued: QueuedReport, _ message: String, _ now: Moment, _ draw: Double) {
        act(.renewSignature(queued.identity))
        if case .paused(.unauthorized, _) = queue.hold?.cause {
            pause(.unauthorized, message, now, draw)
        } else {
            queue.failures = 0
            queue.hold = Hold(
                cause: .paused(.unauthorized, message: message), wait: Wait(from: now, seconds: 0), isDemanded: false)
        }
    }

    /// Tries one report again later, and gives it up after some tries.
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
        if case .schedule(let change) = queued.report {
            queue.remove(queued.id)
            schedules.passed(at: now)
            carryOut(schedules.uncertain(change, queued.identity), now, settling: settings.retry.settling)
        } else {
            queue.lost(queued, at: now, settling: settings.retry.settling)
            queue.dropIfReplaced(queued)
        }
    }

    // MARK: What a reply means

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
            if let id = reply.scheduleID { carryOut(schedules.scheduled(change.id, as: id), now) }
        case .erase:
            queue.forgetConfirmations { $0.identity == queued.identity }
        case .device, .pushToStartToken, .dismissed, .cancelSchedules: break
        }
    }

    private func isOfUser(_ queued: QueuedReport) -> Bool { queued.identity.insiderID == identity?.insiderID }

    /// It will never be taken.
    mutating func refused(_ queued: QueuedReport, code: String, message: String, at now: Moment) {
        queue.note(Refusal(kind: queued.report.kind, code: code, message: message, at: now.wall))
        switch queued.report {
        case .follow(let topic): if isOfUser(queued) { follows.refused(true, topic) }
        case .unfollow(let topic): if isOfUser(queued) { follows.refused(false, topic) }
        case .tap(_, let tapID, _): act(.tapAnswered(tapID: tapID, .unknown))
        case .topics: act(.listed(false))
        case .schedule(let change): schedules.gone(change.id)
        case .sync(let sync) where sync.external != nil:
            // A gateway that does not know the device takes no activity of it: it is described anew when it is next.
            queue.forgetConfirmations { $0.identity == queued.identity }
        case .device, .pushToStartToken, .sync, .dismissed, .cancelSchedules, .erase: break
        }
    }
}
