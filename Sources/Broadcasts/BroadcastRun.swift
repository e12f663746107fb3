import BroadcastCore
import GatewayStore
import LiveActivity
import PushClient
import PushProtocol
import Reactor
import TimeCore

/// Carries out one broadcast: moves pages from the store to the push client, and outcomes back. The decisions are
/// `BroadcastCore`'s. Lives on the reactor.
final class BroadcastRun: PushOutcomeReceiver {
    let order: BroadcastOrder
    private(set) var report: BroadcastReport
    private(set) var core: BroadcastCore

    private let template: PushTemplate
    private let store: GatewayStore
    private let reactor: Reactor
    private let random: () -> Double
    /// Called when there may be something to push.
    private let onReady: () -> Void
    private let onFinished: (BroadcastRun) -> Void
    private var writes = 0
    private var isPaused: Bool
    private var isConcluded = false
    private var isOver = false
    private var retryTimer: (due: MonotonicTime, timer: ReactorTimer)?
    private var waiters: [Int: Waiter] = [:]
    private var notedAt = MonotonicTime(nanoseconds: 0)

    private struct Waiter {
        let completion: (BroadcastReport) -> Void
        var timer: ReactorTimer?
    }
    private var nextWaiter = 0

    /// How often a page is read, and how long to wait between, before it is given up.
    private static let readAttempts = 20
    private static let readPause = TimeInterval.seconds(2)
    /// How often the record is told how far the broadcast is.
    private static let notePause = TimeInterval.seconds(1)

    /// - Parameter isPaused: an older broadcast has pushes under way; nothing is sent before `resume`.
    init(
        _ order: BroadcastOrder, template: PushTemplate, store: GatewayStore, reactor: Reactor, isPaused: Bool,
        random: @escaping () -> Double, onReady: @escaping () -> Void, onFinished: @escaping (BroadcastRun) -> Void
    ) {
        self.order = order
        self.template = template
        self.store = store
        self.reactor = reactor
        self.isPaused = isPaused
        self.random = random
        self.onReady = onReady
        self.onFinished = onFinished
        core = BroadcastCore(event: template.event, pages: order.pages)
        report = BroadcastReport(
            id: order.id, state: .running, tally: core.tally, skipped: order.skippedBeforehand)
    }

    func begin() {
        guard !isConcluded else { return }
        if order.isRecorded { store.note(.running, [], of: order) { _ in } }
        advance()
    }

    /// The older broadcasts have nothing under way any more.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        advance()
    }

    /// A newer broadcast takes over.
    func supersede() {
        core.stop(.superseded)
        advance()
    }

    /// The gateway stops: nothing more is sent, and what waits is counted as such.
    func stop() {
        core.stop(.stopped(reason: BroadcastTally.OwnReason.shutDown.rawValue))
        advance()
    }

    // MARK: Pushing

    /// Gives at most `limit` pushes to the client; how many it took.
    func push(to client: PushClient, limit: Int) -> Int {
        guard !isPaused else { return 0 }
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
            core.pushEnded(BroadcastCore.Tag(rawValue: result.tag), result.outcome, now: now, jitter: random())
        }
        advance()
    }

    // MARK: Pages

    private func advance() {
        writeFinishedPages()
        readAhead()
        scheduleRetry()
        if core.isFinished, writes == 0 { conclude() } else { onReady() }
    }

    private func readAhead() {
        // What is read while others are under way would be out of date when its turn comes.
        guard !isPaused || core.halt != nil else { return }
        while let page = core.pageToRead() { read(page, attempt: 1) }
    }

    private func read(_ page: Int, attempt: Int) {
        store.readPage(page, of: order) { [self] result in
            switch result {
            case .success(let page):
                report.skipped.add(page.skipped)
                if page.isSuperseded { core.stop(.superseded) }
                core.pageRead(BroadcastPage(number: page.page, devices: page.devices, bytes: page.bytes))
            case .failure where attempt < BroadcastRun.readAttempts && core.halt == nil:
                reactor.schedule(after: BroadcastRun.readPause) { self.read(page, attempt: attempt + 1) }
                return
            case .failure: core.pageUnreadable(devices: order.devices(inPage: page))
            }
            advance()
        }
    }

    private func writeFinishedPages() {
        for result in core.takeFinishedPages() {
            writes += 1
            store.finishPage(PageOutcome(result, now: WallTime.now()), of: order) { [self] _ in
                writes -= 1
                if core.isFinished, writes == 0 { conclude() }
            }
        }
        noteProgress()
    }

    private func noteProgress() {
        guard order.isRecorded, !core.isFinished, reactor.now - notedAt >= BroadcastRun.notePause else { return }
        notedAt = reactor.now
        refreshReport()
        store.note(.running, report.counts, of: order) { _ in }
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
        guard !isConcluded else { return }
        isConcluded = true
        if let retryTimer { reactor.cancel(retryTimer.timer) }
        refreshReport()
        report.state =
            switch core.halt {
            case .superseded: .superseded
            case .stopped: .failed
            case nil: core.hasUnreadPages ? .failed : .done
            }
        guard order.isRecorded else { return finish() }
        noteEnd(attempt: 1)
        if order.kind == .start { store.dropStartPages(of: order) }
    }

    /// The record has to learn of the end, or it would say for ever that the broadcast is running.
    private func noteEnd(attempt: Int) {
        let finishedAt = (name: "finished_at", value: "\(WallTime.now().milliseconds)")
        store.note(report.state, report.counts + [finishedAt], of: order) { [self] failure in
            if attempt == 1 { finish() }
            if failure == nil { return store.forgetContent(of: order) }
            guard attempt < BroadcastRun.readAttempts else { return }
            reactor.schedule(after: BroadcastRun.readPause) { self.noteEnd(attempt: attempt + 1) }
        }
    }

    private func finish() {
        isOver = true
        let waiting = waiters
        waiters.removeAll()
        for waiter in waiting.values {
            if let timer = waiter.timer { reactor.cancel(timer) }
            waiter.completion(report)
        }
        onFinished(self)
    }

    private func refreshReport() {
        report.tally = core.tally
        if core.tally.superseded > 0 { report.skipped[.superseded] = core.tally.superseded }
    }

    /// Calls `completion` once: when the broadcast has ended, or with the counts so far after `timeout`.
    func wait(_ timeout: TimeInterval, _ completion: @escaping (BroadcastReport) -> Void) {
        guard !isOver else { return completion(report) }
        let identifier = nextWaiter
        nextWaiter += 1
        let timer = reactor.schedule(after: timeout) { [self] in
            guard let waiter = waiters.removeValue(forKey: identifier) else { return }
            refreshReport()
            waiter.completion(report)
        }
        waiters[identifier] = Waiter(completion: completion, timer: timer)
    }
}

extension BroadcastReport {
    /// What the broadcast's record keeps of the counts.
    var counts: [(name: String, value: String)] {
        let failures = tally.failed.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let skips = skipped.occurring.map { "\($0.reason.name)=\($0.count)" }
        return [
            ("accepted", "\(tally.accepted)"), ("failed", failures.joined(separator: ",")),
            ("skipped", skips.joined(separator: ",")),
        ]
    }
}

extension PageOutcome {
    init(_ result: PageResult, now: WallTime) {
        self.init(page: result.number)
        accepted = result.accepted
        failed = result.failed
        unknown = result.unknown
        deadTokens = result.dead.map { dead in
            (Int(dead.index), dead.token, dead.since.map { WallTime(milliseconds: Int64(clamping: $0)) } ?? now)
        }
    }
}
