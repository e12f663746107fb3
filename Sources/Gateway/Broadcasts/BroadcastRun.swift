import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// Works on one job: moves pages from the store to the provider, and outcomes back. The decisions are
/// `BroadcastCore`'s. Lives on the reactor.
final class BroadcastRun {
    /// The task, as it was given.
    private let task: RunTask
    var core: BroadcastCore
    let store: GatewayStore
    let reactor: Reactor
    private(set) weak var owner: (any RunOwner)?
    var notes = NoteQueue()
    /// Writes that the store has not answered.
    var writes = 0
    var state = RunState()
    var pages = RunPages()
    var times: RunTimes
    var timers = RunTimers()

    var order: BroadcastOrder { task.order }
    var ticket: JobTicket { task.ticket }
    var job: JobAssignment? { task.job }
    var rendered: (any RenderedPush)? { task.rendered }
    var broadcaster: Broadcaster? { task.broadcaster }
    var preread: PageOfDevices? { task.preread }

    /// The pause before a failed call of the store is repeated.
    static let pause = TimeInterval.milliseconds(500)

    /// - Parameter pages: The numbers of the pages that are to be sent.
    init(_ task: RunTask, pages: [Int], store: GatewayStore, reactor: Reactor, owner: any RunOwner) {
        self.task = task
        self.store = store
        self.reactor = reactor
        self.owner = owner
        times = RunTimes(madeAt: reactor.now)
        let inDoubt =
            switch task.job?.progress.doubt ?? .nothing {
            case .nothing: 0
            case .usual: BroadcastCore.Configuration().openPages
            case .all: pages.count
            }
        core = BroadcastCore(
            event: task.order.kind, pages: pages, inDoubt: inDoubt,
            devices: task.order.pages(of: task.ticket.part).reduce(0) { $0 + task.order.devices(inPage: $1) })
    }

    /// Begins the run. It reports its end to the owner once, possibly before this call returns.
    func begin() {
        if let reason = job?.progress.stopReason {
            state.isStopKnown = true
            core.stop(.stopped(reason: reason))
        }
        if job?.progress.isSuperseded == true { core.stop(.superseded) }
        if rendered == nil, core.stopReason == nil {
            let reason = order.isUnreadable ? BroadcastTally.OwnReason.contentUnreadable : .unsendable
            core.stop(.stopped(reason: reason.rawValue))
        }
        watchExpiration()
        advance()
    }

    /// Holds the run back, or releases it. A run that is held back sends nothing.
    func hold(_ isHeld: Bool) {
        state.isHeld = isHeld
        if !isHeld { broadcaster?.roomGrew() }
    }

    // MARK: Stopping

    /// Stops sending, because a newer broadcast takes over. The newer one waits for the pushes that have no answer, so
    /// the last few of an update are cancelled after a second. Phones drop older content that arrives later.
    func supersede() {
        stopSending(.superseded)
        guard order.kind == .update, timers.superseded == nil, core.stopReason == .superseded else { return }
        cancelStragglersLater()
    }

    private func cancelStragglersLater() {
        guard !state.isOver else { return }
        timers.superseded = reactor.schedule(after: BroadcastRun.stragglerTimeout) { [weak self] in
            guard let self else { return }
            // A provider that has answered few pushes may be slow. Its answers are awaited.
            if core.inFlight > 0, let broadcaster,
                core.inFlight * BroadcastRun.answersToStraggler
                    <= core.tally.accepted + broadcaster.acceptedLately()
            {
                broadcaster.provider.cancelUnanswered(self)
            }
            cancelStragglersLater()
        }
    }

    /// The time for which a newer broadcast waits before an update's last pushes are cancelled.
    private static let stragglerTimeout = TimeInterval.seconds(1)
    /// The least ratio of accepted pushes, of this run and of others lately, to the unanswered ones that are cancelled.
    private static let answersToStraggler = 8

    /// Every further push would fare alike.
    func stop(_ reason: String) {
        if core.stopReason == nil { state.isStopKnown = true }
        stopSending(.stopped(reason: reason))
    }

    /// Stops the run because the provider refuses the credential for good, and records that for the other parts of the
    /// broadcast. Ends wait nevertheless, because nothing repeats them. So does an update to one device, which is
    /// recorded nowhere else.
    /// - Returns: True if the run is stopped.
    func refuse(_ reason: String) -> Bool {
        guard job != nil, order.kind != .end else { return false }
        stopSending(.stopped(reason: reason))
        return true
    }

    /// The gateway stops: pages that are open are finished, no further one is begun.
    func reachCheckpoint() {
        core.stopReading()
        advance()
    }

    /// Leaves the devices that got no push to other gateways, because this one stops or cannot push.
    func handOver() {
        stopSending(.handedOver)
    }

    /// Gives the job back because other gateways can push and this one cannot. That happens as soon as the store knows
    /// which devices may have got a push. Pushes under way are awaited, and recorded in the same way as after a lost
    /// job.
    func letGo() {
        state.isLeavingEarly = true
        handOver()
        advance()
    }

    /// Leaves a page that was not sent to all of its devices to another gateway.
    func leavePage() {
        pages.leaveDoubt = pages.leaveDoubt || times.pushed != nil
    }

    private func leaveEarly() {
        guard state.isLeavingEarly, !state.isLost, !state.isOver, !core.isFinished, writes == 0, core.beingNoted == 0,
            !core.hasPartialResults, core.isIncomplete
        else { return }
        state.isLost = true
        end(.handedOver)
    }

    /// Ends the run because another gateway has the job. Pushes under way are awaited; those of a start are recorded.
    func lose() {
        guard !state.isLost else { return }
        state.isLost = true
        core.stopReading()
        stopSending(.handedOver)
    }

    /// Stops sending, and withdraws the pushes that wait in the provider's client.
    private func stopSending(_ reason: BroadcastCore.StopReason) {
        guard core.stopReason == nil, !state.isOver else { return }
        core.stop(reason)
        broadcaster?.provider.withdraw(self)
        advance()
    }

    /// Stops the run when its content has expired. An end expires when a phone would no longer show the Live Activity,
    /// and each end is tried for at least a minute.
    private func watchExpiration() {
        guard order.expiration > 0, !state.isOver, core.stopReason == nil else { return }
        let left = WallTime(seconds: order.expiration).milliseconds - store.wallClock().milliseconds
        if left <= 0, order.kind != .end || isPatienceOver {
            return stopSending(.stopped(reason: BroadcastTally.OwnReason.expired.rawValue))
        }
        // The clock may be set meanwhile: it is looked at again, and never trusted for long.
        let pause = TimeInterval.milliseconds(Int(max(100, min(left, 60_000))))
        if order.kind != .end { rendered?.notAfter = reactor.now + .milliseconds(Int(min(left, 86_400_000))) }
        timers.expiry = reactor.schedule(after: pause) { [weak self] in self?.watchExpiration() }
    }

    /// The time for which an end is tried although it has expired.
    private static let endPatience = TimeInterval.seconds(60)
    private var isPatienceOver: Bool { reactor.now - times.madeAt >= BroadcastRun.endPatience }

    // MARK: Going on

    func advance() {
        guard !state.isOver else { return }
        if !state.isStopNoted, job != nil, !state.isLost, case .stopped(let reason) = core.stopReason {
            // The other parts of the broadcast need not find it out again.
            state.isStopNoted = true
            if !state.isStopKnown {
                let isAboutContent = BroadcastTally.OwnReason(rawValue: reason)?.isAboutContent ?? false
                store.broadcasts.noteStop(reason, of: order, over: isAboutContent ? nil : ticket.part.routeKind)
                owner?.stopped(self, reason)
            }
        }
        if core.stopReason != nil { giveUpNotes() }
        recordResults()
        readAhead()
        // Without a read the page is there at once. If the run is stopped, the page is also done at once.
        if ticket.part.channelKind != nil || preread != nil { recordResults() }
        scheduleRetry()
        if state.isLeavingEarly { recordPart() }
        leaveEarly()
        restOrResume()
        if core.isFinished, writes == 0 { conclude() } else { pump() }
    }

    /// Frees the place of a job that has only retries left, and takes it again when a retry is due.
    func restOrResume() {
        let rests = !state.isOver && core.isResting(now: reactor.now)
        if rests, !state.isResting {
            state.isResting = owner?.rest(self) ?? false
        } else if !rests, state.isResting {
            state.isResting = false
            owner?.resume(self)
        }
    }

    /// Something that was waited for has come.
    func concludeIfDone() {
        leaveEarly()
        if core.isFinished, writes == 0 { conclude() }
    }

    private func conclude() {
        if !pages.refused.isEmpty { quarantineRefused() }
        guard !state.isOver, writes == 0 else { return }
        state.isOver = true
        timers.cancel(on: reactor)
        if !state.isLost, !core.isIncomplete, core.stopReason == nil, let reason = core.alarm.reasonOfNearlyAll {
            owner?.rejected(self, reason)
        }
        if !state.isLost, let reason = core.alarm.reasonOfWrongEnvironment {
            // Before the job is done, for its broadcast may be then.
            store.broadcasts.noteWrongEnvironment(order)
            owner?.wrongEnvironment(self, reason)
        }
        end(state.isLost ? .lost : core.isIncomplete ? .handedOver : .complete)
    }

    private func end(_ end: RunEnd) {
        broadcaster?.remove(self)
        owner?.ended(self, end)
    }

    /// There may be something to push.
    func pump() { broadcaster?.pump() }
}
