import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// Between the store and the job: pages come in, outcomes go out.
extension BroadcastRun {
    /// The number of times that a damaged page is read before it is given up.
    private static let readAttempts = 3
    /// The pause between reads of a page while a token in it moves between logins, and the time for all pages.
    private static let (movingPause, movingTime) = (TimeInterval.milliseconds(20), TimeInterval.seconds(2))
    /// The time from the first outcome of a start to the writing of those of open pages, which outlive the gateway.
    private static let recordPause = TimeInterval.milliseconds(40)

    func readAhead() {
        while let page = core.pageToRead() {
            if core.hasManyPages, !pages.areMany, order.kind != .start, job != nil {
                pages.areMany = true
                store.pages.record(.all, of: ticket, order)
            }
            if let kind = ticket.part.channelKind {
                addressChannel(kind, page)
            } else if let preread, preread.page == page {
                take(preread)
            } else {
                read(page, attempt: 1)
            }
        }
    }

    private func take(_ page: PageOfDevices) {
        pages.open[page.page] = (page.skipped, order.kind == .end ? page.reportTimes : [])
        let devices = page.beginning(at: job?.progress.firstIndex(ofPage: page.page) ?? 0).devices
        core.pageRead(BroadcastPage(number: page.page, devices: devices, bytes: page.bytes))
    }

    private func read(_ page: Int, attempt: Int) {
        store.pages.readPage(page, of: order, isResumed: job?.progress.isTouched ?? false) { [self] in
            pageRead(page, $0, attempt)
        }
    }

    /// Reads the page of a channel, which is not stored.
    private func addressChannel(_ kind: RouteKind, _ page: Int) {
        let address = Array((order.channels[kind] ?? "").utf8)
        core.pageRead(BroadcastPage(number: page, devices: [(0, 0..<address.count)], bytes: address))
    }

    private func pageRead(_ number: Int, _ result: Result<PageOfDevices, StoreError>, _ attempt: Int) {
        switch result {
        case .success(let page) where !page.hasMovingToken || reactor.now - times.madeAt >= BroadcastRun.movingTime:
            take(page)
        case .failure where core.stopReason == .handedOver: core.pageNotRead()
        case .failure where core.stopReason != nil && attempt >= BroadcastRun.readAttempts,
            .failure(.damaged) where attempt >= BroadcastRun.readAttempts:
            core.pageUnreadable(number, devices: order.devices(inPage: number))
        case .success, .failure:
            // While the store is away nothing is lost by waiting for it.
            let pause = (try? result.get()) == nil ? BroadcastRun.pause : BroadcastRun.movingPause
            reactor.schedule(after: pause) { self.read(number, attempt: attempt + 1) }
            return
        }
        advance()
    }

    // MARK: Outcomes

    /// Records the results of finished pages, and of a start soon also partial ones.
    func recordResults() {
        for result in core.takeResults() { record(result) }
        guard core.notesRuns, timers.record == nil, core.hasPartialResults else { return }
        timers.record = reactor.schedule(after: BroadcastRun.recordPause) { [weak self] in
            guard let self else { return }
            timers.record = nil
            recordPart()
        }
    }

    func recordPart() {
        guard core.notesRuns, core.hasPartialResults else { return }
        for result in core.takeResults(whole: false) { record(result) }
    }

    private func record(_ result: PageResult) {
        let isWhole = result.isFinal && result.left == 0
        // An update that was not sent to all of a page is sent to all of it by the next.
        guard isWhole || order.kind == .start && job != nil else { return leavePage() }
        let page = isWhole ? pages.open.removeValue(forKey: result.number) : nil
        pages.parts += 1
        var outcome = PageOutcome(
            result, kind: order.kind, skipped: page?.skipped ?? SkipCounts(), stopReason: core.stopReason,
            now: store.wallClock())
        outcome.part = pages.parts
        outcome.reportTimes = page?.reportTimes ?? []
        if ticket.part.channelKind != nil { outcome.forgetDevices() }
        keepRefused(outcome)
        outcome.isFinal = isWhole
        outcome.lastTurn = job?.progress.turn(ofPage: result.number)
        if !result.released.isEmpty, job != nil { release(result.released, ofPage: result.number) }
        // A page whose devices were only released, or left, has no outcomes.
        guard isWhole || outcome.hasOutcomes else { return }
        writes += 1
        write(outcome)
    }

    private func write(_ outcome: PageOutcome) {
        guard !ticket.isHeld else {
            owner?.settledHeld(outcome, self)
            writes -= 1
            return
        }
        guard let job else {
            state.isEndedLate = state.isEndedLate || order.kind == .end && !outcome.accepted.isEmpty
            return store.pages.finishPart(outcome, of: order) { [self] result in
                // The job must not go before what came of it is known.
                guard case .success = result else { return writeAgain(outcome) }
                owner?.settled(outcome, self)
                written()
            }
        }
        // The gateway that took over an update sends it again.
        guard !state.isLost || order.kind == .start else { return written() }
        store.pages.write(outcome, of: order, owner: job.owner) { [self] result in
            switch result {
            case .success(.written):
                owner?.settled(outcome, self)
                if order.recordsEvents { owner?.pageWritten(self) }
            case .success(.lost):
                owner?.lost(self)
                if order.kind == .start, order.recordsEvents { owner?.pageWritten(self) }
            case .failure: return writeAgain(outcome)
            }
            written()
        }
    }

    private func writeAgain(_ outcome: PageOutcome) {
        reactor.schedule(after: BroadcastRun.pause) { self.write(outcome) }
    }

    private func written() {
        writes -= 1
        concludeIfDone()
    }
}

extension PageOutcome {
    init(
        _ result: PageResult, kind: PushEvent, skipped: SkipCounts, stopReason: BroadcastCore.StopReason?,
        now: WallTime
    ) {
        self.init(page: result.number)
        accepted = result.accepted
        failed = result.failed
        failedFor = result.failedFor
        reasons = result.reasons
        unknown = result.unknown
        unsent = result.unsent
        unsentReason = result.unsentReason
        supersededFrom = result.supersededFrom
        deadTokens = result.dead.map { dead in
            (Int(dead.index), dead.token, dead.since.map { WallTime(milliseconds: Int64(clamping: $0)) } ?? now)
        }
        quarantinedTokens = result.quarantined.map { (Int($0.index), $0.token) }
        pushedAt = now
        counts.accepted = result.tally.accepted
        counts.failed = result.tally.failed
        counts.skipped = skipped
        if result.tally.superseded > 0 { counts.skipped[.superseded] += result.tally.superseded }
        isSuperseded = stopReason == .superseded
        if case .stopped = stopReason { hasFailed = true }
        hasFailed = hasFailed || result.tally.failed[BroadcastTally.OwnReason.storeUnavailable.rawValue] != nil
    }
}
