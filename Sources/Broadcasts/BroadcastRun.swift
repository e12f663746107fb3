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
    private var waiters: [Int: (BroadcastReport) -> Void] = [:]
    private var nextWaiter = 0

    /// How often a page is read, and how long to wait between, before it is given up.
    private static let readAttempts = 20
    private static let readPause = TimeInterval.seconds(2)

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
        let pages: [Int]
        switch order.scope {
        case .wholeSegment: pages = order.slots.pages
        case .slots(let slots):
            pages = slots.reduce(into: []) { pages, slot in
                let page = RosterGeometry.page(ofSlot: slot)
                if pages.last != page { pages.append(page) }
            }
        }
        core = BroadcastCore(event: template.event, pages: pages, now: .now())
        report = BroadcastReport(id: order.id, state: .running, tally: core.tally, skipped: SkipCounts())
    }

    func begin() {
        if order.isRecorded { store.note(.running, [], of: order) { _ in } }
        advance()
    }

    /// The older broadcasts have nothing under way any more.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        onReady()
    }

    /// A newer broadcast takes over.
    func supersede() {
        core.stop(.superseded)
        advance()
    }

    var hasPushesInFlight: Bool { core.inFlight > 0 }

    // MARK: Pushing

    /// Gives at most `limit` pushes to the client; how many it took.
    func push(to client: PushClient, limit: Int) -> Int {
        guard !isPaused else { return 0 }
        var count = 0
        let now = reactor.now
        while count < limit, let tag = core.nextPush(now: now) {
            let page = core.pageNumber(tag)
            let taken = core.withToken(tag) { token, index in
                client.push(
                    template, token: token, slot: RosterGeometry.slot(page: page, index: Int(index)),
                    tag: tag.rawValue, to: self)
            }
            guard taken else {
                core.pushRefused(tag, now: now)
                break
            }
            count += 1
        }
        if count > 0 { readAhead() }
        return count
    }

    var hasPushReady: Bool { !isPaused && core.hasPushReady(now: reactor.now) }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        let now = reactor.now
        for result in outcomes {
            let jitter = if case .accepted = result.outcome { 0.0 } else { random() }
            core.pushEnded(BroadcastCore.Tag(rawValue: result.tag), result.outcome, now: now, jitter: jitter)
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
        while let page = core.pageToRead() { read(page, attempt: 1) }
    }

    private func read(_ page: Int, attempt: Int) {
        store.readPage(page, of: order) { [self] result in
            switch result {
            case .success(let page):
                report.skipped.add(page.skipped)
                if page.isSuperseded { core.stop(.superseded) }
                core.pageRead(BroadcastPage(number: page.page, devices: page.devices, bytes: page.bytes))
            case .failure where attempt < BroadcastRun.readAttempts:
                reactor.schedule(after: BroadcastRun.readPause) { self.read(page, attempt: attempt + 1) }
                return
            case .failure: core.pageUnreadable()
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
            case nil: .done
            }
        guard order.isRecorded else { return finish() }
        store.note(report.state, report.fields, of: order) { [self] _ in
            if order.kind == .start { store.dropStartPages(of: order) }
            finish()
        }
    }

    private func finish() {
        isOver = true
        let waiting = waiters
        waiters.removeAll()
        for waiter in waiting.values { waiter(report) }
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
        waiters[identifier] = completion
        reactor.schedule(after: timeout) { [self] in
            guard let waiter = waiters.removeValue(forKey: identifier) else { return }
            refreshReport()
            waiter(report)
        }
    }
}

extension BroadcastReport {
    /// What the broadcast's record keeps of the counts.
    var fields: [(name: String, value: String)] {
        let failures = tally.failed.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let skips = skipped.occurring.map { "\($0.reason.name)=\($0.count)" }
        return [
            ("accepted", "\(tally.accepted)"), ("failed", failures.joined(separator: ",")),
            ("skipped", skips.joined(separator: ",")), ("finished_at", "\(WallTime.now().milliseconds)"),
        ]
    }
}

extension PageOutcome {
    init(_ result: PageResult, now: WallTime) {
        self.init(page: result.number)
        accepted = result.accepted.map(Int.init)
        failed = result.failed.map(Int.init)
        unknown = result.unknown.map(Int.init)
        deadTokens = result.dead.map { dead in
            (Int(dead.index), dead.since.map { WallTime(milliseconds: Int64(clamping: $0)) } ?? now)
        }
    }
}
