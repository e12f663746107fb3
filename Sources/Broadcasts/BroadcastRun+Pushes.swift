import BroadcastCore
import GatewayStore
import PushClient
import Reactor
import TimeCore

/// From the job to the push client, and back.
extension BroadcastRun: PushOutcomeReceiver {
    /// Gives at most `limit` pushes to the client; how many it took.
    func push(to client: PushClient, limit: Int) -> Int {
        var count = 0
        let now = reactor.now
        while count < limit, let tag = core.nextPush(now: now) {
            let target = core.target(tag)
            let slot = RosterGeometry.slot(page: target.page, index: Int(target.index))
            guard client.push(template, token: target.token, slot: slot, tag: tag.rawValue, to: self) else {
                core.pushRefused(tag)
                break
            }
            count += 1
        }
        if count > 0 { readAhead() }
        return count
    }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) {
        for push in pushes { core.pushAccepted(BroadcastCore.Tag(rawValue: push.tag)) }
        advance()
    }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        let now = reactor.now
        for result in outcomes {
            core.pushEnded(
                BroadcastCore.Tag(rawValue: result.tag), result.outcome, now: now, jitter: surroundings.random())
        }
        advance()
    }

    func scheduleRetry() {
        guard let due = core.nextRetry else { return }
        if let scheduled = retryTimer, scheduled.due <= due { return }
        if let scheduled = retryTimer { reactor.cancel(scheduled.timer) }
        let timer = reactor.schedule(at: due) { [weak self] in
            guard let self else { return }
            retryTimer = nil
            if let due = core.nextRetry, due > reactor.now { scheduleRetry() }
            onReady()
        }
        retryTimer = (due, timer)
    }

    // MARK: Notes

    /// Notes who comes next, at most so many devices; how many it were. They are pushed to when the store has taken the
    /// note.
    func noteAhead(limit: Int) -> Int {
        guard !isOver, let run = core.runToNote(now: reactor.now, limit: limit) else { return 0 }
        // A device that is noted again must have been released before.
        if core.hasReleased { recordPart() }
        notesToSend.append(run)
        sendNotes()
        return run.count
    }

    private func sendNotes() {
        guard !isNoting, !notesToSend.isEmpty, let job else { return }
        isNoting = true
        let runs = notesToSend
        store.note(runs.flatMap(\.pages), of: order, owner: job.owner) { [self] result in
            isNoting = false
            switch result {
            case .success(.written) where core.halt == nil:
                notesToSend.removeFirst(runs.count)
                for run in runs { core.runNoted(run) }
                sendNotes()
            case .success(.lost): surroundings.lost(self)
            // While the store is away, or full, nothing is lost by waiting for it.
            case .failure where core.halt == nil:
                reactor.schedule(after: BroadcastRun.pause) { self.sendNotes() }
                return
            case .success, .failure: break
            }
            advance()
        }
    }

    /// Nothing more is sent: whoever is being noted is left as the halt says.
    func giveUpNotes() {
        // One that is under way is waited for, so that the release comes behind it.
        guard !isNoting, !notesToSend.isEmpty else { return }
        let runs = notesToSend
        notesToSend = []
        for run in runs { core.runNotNoted(run) }
    }
}
