import BroadcastCore
import Delivery
import FlatMemory
import GatewayStore
import Reactor
import RosterCore
import TimeCore

/// From the job to the provider, and back.
extension BroadcastRun: PushOutcomeReceiver {
    /// Gives at most `limit` pushes to the provider, in one call; how many it took.
    /// - Parameter batch: what is in it is of no more use.
    func push(to provider: any PushProvider, in batch: inout PlainBuffer<PendingPush>, limit: Int) -> Int {
        guard let rendered, !state.isHeld else { return 0 }
        let now = reactor.now
        batch.removeAll()
        // A page's tokens stay where they are until all its devices have their outcomes.
        while batch.count < limit, let tag = core.nextPush(now: now) {
            let target = core.target(tag)
            let slot = RosterGeometry.slot(page: target.page, index: Int(target.index))
            batch.append(PendingPush(token: target.token, slot: slot, tag: tag.rawValue))
        }
        guard batch.count > 0 else { return 0 }
        let taken = provider.push(batch.all, rendered, to: self)
        // The last one first, as each goes ahead of those that were given back before.
        while batch.count > taken, let push = batch.popLast() {
            core.pushRefused(BroadcastCore.Tag(rawValue: push.tag))
        }
        if taken > 0 {
            times.pushed = (times.pushed?.first ?? now, now)
            readAhead()
        }
        return taken
    }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) {
        times.answeredAt = reactor.now
        for push in pushes { core.pushAccepted(BroadcastCore.Tag(rawValue: push.tag)) }
        advance()
    }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        let now = reactor.now
        times.answeredAt = now
        for result in outcomes {
            if case .rejected(let rejection) = result.outcome, rejection.classification.isAboutChannel { dropChannel() }
            core.pushEnded(
                BroadcastCore.Tag(rawValue: result.tag), result.dated(store), now: now, jitter: owner?.random() ?? 0.5)
        }
        advance()
    }

    /// Removes the channel from the activity because the provider has deleted it. Redis gets the command before the
    /// broadcast can finish.
    private func dropChannel() {
        let channels = order.kind == .start ? order.follows : order.channels
        guard !state.hasDroppedChannel, let channel = channels[ticket.part.routeKind] else { return }
        state.hasDroppedChannel = true
        store.broadcasts.dropChannel(channel, of: order)
        owner?.channelDeleted(self, channel)
    }

    /// The times at which its pushes left, by the store's clock.
    var pushTimes: PushTimes? {
        times.pushed.map { first, last in
            func time(_ moment: MonotonicTime) -> WallTime {
                let ago = (reactor.now - moment).nanoseconds / 1_000_000
                return WallTime(milliseconds: store.wallClock().milliseconds - Int64(clamping: ago))
            }
            return PushTimes(first: time(first), last: time(last))
        }
    }

    func scheduleRetry() {
        guard let due = core.nextRetry else { return }
        if let scheduled = timers.retry, scheduled.due <= due { return }
        if let scheduled = timers.retry { reactor.cancel(scheduled.timer) }
        let timer = reactor.schedule(at: due) { [weak self] in
            guard let self else { return }
            timers.retry = nil
            if let due = core.nextRetry, due > reactor.now { scheduleRetry() }
            restOrResume()
            pump()
        }
        timers.retry = (due, timer)
    }

    // MARK: Notes

    /// Notes the next devices, which are pushed to when the store has recorded the note. Because each note costs a call
    /// of the store, none is made while devices are noted that the provider does not have yet.
    /// - Parameter limit: The most devices that may be noted ahead.
    /// - Returns: The number of devices noted.
    func noteAhead(limit: Int) -> Int {
        guard !state.isOver, !state.isHeld, core.notedAhead == 0,
            let run = core.runToNote(now: reactor.now, limit: limit)
        else {
            return 0
        }
        // A device that is noted again must have been released before.
        if core.hasReleased { recordPart() }
        notes.append(.run(run))
        sendNotes()
        return run.count
    }

    func sendNotes() {
        guard let job, let runs = notes.next() else { return }
        store.jobs.note(runs, of: order, owner: job.owner) { [self] result in
            switch result {
            case .success(.written):
                for entry in notes.told() {
                    switch entry {
                    case .run(let run): core.runNoted(run)
                    case .release: writes -= 1
                    }
                }
                sendNotes()
            case .success(.lost):
                for release in notes.lost() { tell(release) }
                owner?.lost(self)
            // While the store is away, or full, nothing is lost by waiting for it.
            case .failure:
                notes.failed()
                reactor.schedule(after: BroadcastRun.pause) {
                    self.notes.resume()
                    self.sendNotes()
                }
            }
            advance()
        }
    }

    /// Nothing can have been delivered to devices that are noted.
    func release(_ indexes: [UInt16], ofPage page: Int) {
        writes += 1
        guard state.isLost else {
            notes.append(.release(page: page, indexes: indexes))
            return sendNotes()
        }
        tell(NotedRun(.released, number: notes.nextNumber(), page: page, indexes: indexes))
    }

    /// Reports a release after the job was lost. The gateway that has the job may have taken these devices for sent.
    private func tell(_ release: NotedRun) {
        guard let job else { return }
        store.jobs.release(release, of: order, owner: job.owner) { [self] result in
            guard case .success(let leftOut) = result else {
                reactor.schedule(after: BroadcastRun.pause) { self.tell(release) }
                return
            }
            if let leftOut { owner?.start(leftOut) }
            writes -= 1
            concludeIfDone()
        }
    }

    /// Gives up the devices that are being noted, as the stop reason requires. Pushes under way are awaited.
    func giveUpNotes() {
        for run in notes.takeRuns() { core.runNotNoted(run) }
    }
}

extension PushResult {
    /// Gives a dead address the time at which its push left if the provider states none. A later report of the address
    /// stays valid.
    fileprivate func dated(_ store: GatewayStore) -> PushOutcome {
        guard case .rejected(let rejection) = outcome, rejection.classification.verdict == .addressDead,
            rejection.deadSince == nil, let sentAgo
        else { return outcome }
        let sent = store.wallClock().milliseconds - Int64(clamping: sentAgo.millisecondsRoundedUp)
        return .rejected(rejection.dead(since: UInt64(clamping: sent)))
    }
}
