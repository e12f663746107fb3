import BroadcastCore
import GatewayStore
import LiveActivity
import PushClient
import PushProtocol
import Reactor
import TimeCore

/// Works on one job: moves pages from the store to the push client, and outcomes back. The decisions are `BroadcastCore`'s.
/// Lives on the reactor.
final class BroadcastRun: PushOutcomeReceiver {
    let order: BroadcastOrder
    let ticket: JobTicket
    /// Nil for a late end, which has no checkpoint and no counts.
    let job: JobAssignment?
    private(set) var core: BroadcastCore

    private let template: PushTemplate
    private let surroundings: RunSurroundings
    /// Called when there may be something to push.
    private let onReady: () -> Void
    private let onEnd: (BroadcastRun, RunEnd) -> Void
    private var writes = 0
    private var isLost = false
    private var isOver = false
    private var isStopNoted = false
    /// Whether the provider has accepted a late end.
    private(set) var isEndedLate = false
    /// Whether it was another run that found out why nothing more is to be sent.
    private var isStopKnown = false
    /// Who was passed over in the pages that are open.
    private var skipped: [Int: SkipCounts] = [:]
    /// Devices of open pages that may have been sent the start by somebody who is lost, and have ended since.
    private var endedUnknown: [Int: Int] = [:]
    private var retryTimer: (due: MonotonicTime, timer: ReactorTimer)?

    private var store: GatewayStore { surroundings.store }
    private var reactor: Reactor { surroundings.reactor }

    /// How often a page is read while the store answers other calls, before it is given up, and how long to wait between.
    private static let readAttempts = 20
    private static let pause = TimeInterval.milliseconds(500)

    init(
        _ order: BroadcastOrder, _ ticket: JobTicket, job: JobAssignment?, template: PushTemplate,
        _ surroundings: RunSurroundings,
        onReady: @escaping () -> Void, onEnd: @escaping (BroadcastRun, RunEnd) -> Void
    ) {
        self.order = order
        self.ticket = ticket
        self.job = job
        self.template = template
        self.surroundings = surroundings
        self.onReady = onReady
        self.onEnd = onEnd
        let pages = order.pages(in: ticket.partition).filter { job?.progress.state(ofPage: $0) != .done }
        core = BroadcastCore(event: template.event, pages: pages)
    }

    /// Calls `onEnd` once, perhaps before it returns.
    func begin() {
        if let reason = job?.progress.stopReason {
            isStopKnown = true
            core.stop(.stopped(reason: reason))
        }
        if job?.progress.isSuperseded == true { core.stop(.superseded) }
        stopWhenExpired()
        advance()
    }

    // MARK: Halting

    /// A newer broadcast takes over.
    func supersede() {
        halt(.superseded)
    }

    /// Every further push would fare alike.
    func stop(_ reason: String) {
        if core.halt == nil { isStopKnown = true }
        halt(.stopped(reason: reason))
    }

    /// The gateway stops: pages that are open are finished, no further one is begun.
    func reachCheckpoint() {
        core.stopReading()
        advance()
    }

    /// The gateway stops now: whoever has been sent nothing is left to others.
    func handOver() {
        halt(.handedOver)
    }

    /// Somebody else works on the job. What is under way is awaited, and forgotten.
    func lose() {
        guard !isLost else { return }
        isLost = true
        core.stopReading()
        halt(.handedOver)
    }

    /// What waits in the client is taken back as well: it may be as much as a page.
    private func halt(_ reason: BroadcastCore.Halt) {
        guard core.halt == nil, !isOver else { return }
        core.stop(reason)
        surroundings.withdraw(self)
        advance()
    }

    /// Content that is no longer fresh helps nobody; an end does, whenever it comes.
    private func stopWhenExpired() {
        guard order.kind != .end, order.expiration > 0, store.wallClock().seconds > order.expiration else {
            return
        }
        core.stop(.stopped(reason: BroadcastTally.OwnReason.expired.rawValue))
    }

    // MARK: Pushing

    /// Gives at most `limit` pushes to the client; how many it took.
    func push(to client: PushClient, limit: Int) -> Int {
        var count = 0
        let now = reactor.now
        while count < limit, let tag = core.nextPush(now: now) {
            let target = core.target(tag)
            let slot = RosterGeometry.slot(page: target.page, index: Int(target.index))
            guard client.push(template, token: target.token, slot: slot, tag: tag.rawValue, to: self) else {
                core.pushRefused(tag, now: now)
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

    // MARK: Pages

    private func advance() {
        guard !isOver else { return }
        if !isStopNoted, job != nil, case .stopped(let reason) = core.halt {
            // Those who work on other parts of the broadcast need not find out for themselves.
            isStopNoted = true
            store.noteStop(reason, of: order)
            if !isStopKnown { surroundings.stopped(reason) }
        }
        writeFinishedPages()
        readAhead()
        scheduleRetry()
        if core.isFinished, writes == 0 { conclude() } else { onReady() }
    }

    private func readAhead() {
        while let page = core.pageToRead() { read(page, attempt: 1) }
    }

    private func read(_ page: Int, attempt: Int) {
        guard let job, order.kind == .start, job.progress.state(ofPage: page) == .untouched else {
            return readDevices(page, attempt)
        }
        // Both calls are in one turn, and so on their way together; the page is pushed when both have been answered.
        var isBegun: Result<GatewayStore.JobWrite, StoreError>?
        var devices: Result<PageOfDevices, StoreError>?
        func complete() {
            guard let isBegun, let devices else { return }
            switch isBegun {
            case .success(.lost): surroundings.lost(self)
            case .success(.written): return pageRead(page, devices, attempt)
            case .failure(let error): return pageRead(page, .failure(error), attempt)
            }
            core.pageNotRead()
            advance()
        }
        store.beginPage(page, of: order, owner: job.owner) { result in
            isBegun = result
            complete()
        }
        store.readPage(page, of: order) { result in
            devices = result
            complete()
        }
    }

    private func readDevices(_ page: Int, _ attempt: Int) {
        store.readPage(page, of: order) { [self] in pageRead(page, $0, attempt) }
    }

    private func pageRead(_ number: Int, _ result: Result<PageOfDevices, StoreError>, _ attempt: Int) {
        switch result {
        case .success(let page):
            skipped[number] = page.skipped
            if wasBegun(number), page.skipped[.ended] > 0 {
                endedUnknown[number] = page.skipped[.ended]
                skipped[number]?[.ended] = 0
            }
            stopWhenExpired()
            core.pageRead(
                BroadcastPage(number: number, devices: page.devices, bytes: page.bytes), isUnknown: isUnknown(number))
        case .failure where core.halt == .handedOver: core.pageNotRead()
        case .failure where attempt >= BroadcastRun.readAttempts:
            core.pageUnreadable(number, devices: order.devices(inPage: number))
        case .failure:
            // While the store is away nothing is lost by waiting for it.
            let next = surroundings.isStoreAnswering() ? attempt + 1 : attempt
            reactor.schedule(after: BroadcastRun.pause) { self.read(number, attempt: next) }
            return
        }
        advance()
    }

    /// Whether the page was being sent by somebody who is lost, and is not to be sent again.
    private func isUnknown(_ page: Int) -> Bool {
        job?.onUnknown == .skip && wasBegun(page)
    }

    private func wasBegun(_ page: Int) -> Bool {
        order.kind == .start && job?.progress.state(ofPage: page) == .begun
    }

    private func writeFinishedPages() {
        for result in core.takeFinishedPages() {
            let skips = skipped.removeValue(forKey: result.number) ?? SkipCounts()
            let unknown = endedUnknown.removeValue(forKey: result.number) ?? 0
            // An update that was not sent to all of a page is sent to all of it by the next.
            if result.left > 0, order.kind != .start || job == nil { continue }
            writes += 1
            var outcome = PageOutcome(result, skipped: skips, halt: core.halt, now: store.wallClock())
            if unknown > 0, result.left == 0 {
                outcome.counts.failed[BroadcastTally.OwnReason.unknown.rawValue, default: 0] += unknown
            }
            write(outcome)
        }
    }

    private func write(_ outcome: PageOutcome) {
        guard let job else {
            isEndedLate = isEndedLate || !outcome.accepted.isEmpty
            return store.finishPart(outcome, of: order) { [self] in
                surroundings.settled(outcome)
                pageWritten()
            }
        }
        guard !isLost else { return pageWritten() }
        store.finishPage(outcome, of: order, owner: job.owner) { [self] result in
            switch result {
            case .success(.written):
                surroundings.settled(outcome)
                if order.recordsEvents { surroundings.pageWritten(self) }
                pageWritten()
            case .success(.lost):
                surroundings.lost(self)
                pageWritten()
            case .failure: reactor.schedule(after: BroadcastRun.pause) { self.write(outcome) }
            }
        }
    }

    private func pageWritten() {
        writes -= 1
        if core.isFinished, writes == 0 { conclude() }
    }

    private func scheduleRetry() {
        guard let due = core.nextRetry else { return }
        if let scheduled = retryTimer, scheduled.due <= due { return }
        if let scheduled = retryTimer { reactor.cancel(scheduled.timer) }
        let timer = reactor.schedule(at: due) { [weak self] in
            guard let self else { return }
            retryTimer = nil
            scheduleRetryIfNotDue()
            onReady()
        }
        retryTimer = (due, timer)
    }

    private func scheduleRetryIfNotDue() {
        guard let due = core.nextRetry, due > reactor.now else { return }
        scheduleRetry()
    }

    // MARK: The end

    private func conclude() {
        guard !isOver else { return }
        isOver = true
        if let retryTimer { reactor.cancel(retryTimer.timer) }
        onEnd(self, isLost ? .lost : core.isIncomplete ? .handedOver : .complete)
    }
}

extension PageOutcome {
    init(_ result: PageResult, skipped: SkipCounts, halt: BroadcastCore.Halt?, now: WallTime) {
        self.init(page: result.number)
        accepted = result.accepted
        failed = result.failed
        failedFor = result.failedFor
        reasons = result.reasons
        unknown = result.unknown
        deadTokens = result.dead.map { dead in
            (Int(dead.index), dead.token, dead.since.map { WallTime(milliseconds: Int64(clamping: $0)) } ?? now)
        }
        counts.accepted = result.tally.accepted
        counts.failed = result.tally.failed
        if result.left > 0 {
            // Who was passed over is counted by the one who finishes the page.
            isGivenBack = true
        } else {
            counts.skipped = skipped
            if result.tally.superseded > 0 { counts.skipped[.superseded] += result.tally.superseded }
        }
        isSuperseded = halt == .superseded
        if case .stopped = halt { hasFailed = true }
        hasFailed = hasFailed || result.tally.failed[BroadcastTally.OwnReason.storeUnavailable.rawValue] != nil
    }
}
