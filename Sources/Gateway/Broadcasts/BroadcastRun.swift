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
    let order: BroadcastOrder
    let ticket: JobTicket
    /// Nil for a late end, which has no checkpoint and no counts.
    let job: JobAssignment?
    var core: BroadcastCore

    /// Nil when no push can carry the order: then nothing is sent.
    let rendered: (any RenderedPush)?
    let store: GatewayStore
    let reactor: Reactor
    private(set) weak var owner: (any RunOwner)?
    /// Sends its pushes; nil when there is none of the kind.
    let broadcaster: Broadcaster?
    /// A page that was read before the run was begun.
    let preread: PageOfDevices?
    /// Writes that the store has not answered.
    var writes = 0
    /// Tokens that the provider has refused as wrong, until the run is over.
    var refused: [RefusedTokens] = []
    /// True if another gateway works on the job.
    private(set) var isLost = false
    private(set) var isOver = false
    private var isStopNoted = false
    private var isLeavingEarly = false
    /// True if the run has more pages open than usual, and has recorded that.
    var hasManyPages = false
    /// True if pages were sent in part and their outcomes are not recorded.
    private(set) var leavesDoubt = false
    /// True if the provider has accepted a late end.
    var isEndedLate = false
    /// True if the provider has deleted the run's channel, and that is recorded.
    var hasDroppedChannel = false
    /// True if nothing may be sent, because the job may be another gateway's by now.
    private(set) var isHeld = false
    /// True if another run recorded the reason to stop.
    private var isStopKnown = false
    /// The pages that were read and are not finished, by number. The report times are those of an end's tokens.
    var openPages: [Int: (skipped: SkipCounts, reportTimes: [UInt8])] = [:]
    /// The number of partial outcomes written.
    var parts = 0
    var retryTimer: (due: MonotonicTime, timer: ReactorTimer)?
    var recordTimer: ReactorTimer?
    private var expiryTimer: ReactorTimer?
    private var supersededTimer: ReactorTimer?
    /// True if only retries that are not due are left, and other jobs use the job's place until then.
    private(set) var isResting = false
    /// The time of the provider's last answer; at first the time at which the run was made.
    var answeredAt: MonotonicTime
    var notes = NoteQueue()
    /// The times at which the provider got the first and the last push; nil before the first.
    var pushed: (first: MonotonicTime, last: MonotonicTime)?

    /// The pause before a failed call of the store is repeated.
    static let pause = TimeInterval.milliseconds(500)

    /// - Parameters:
    ///   - pages: what is to be sent, by number.
    ///   - preread: one of them, when it has been read.
    init(
        _ order: BroadcastOrder, _ ticket: JobTicket, job: JobAssignment?, pages: [Int], rendered: (any RenderedPush)?,
        preread: PageOfDevices? = nil, broadcaster: Broadcaster?, store: GatewayStore, reactor: Reactor,
        owner: any RunOwner
    ) {
        self.order = order
        self.ticket = ticket
        self.job = job
        self.rendered = rendered
        self.preread = preread
        self.broadcaster = broadcaster
        self.store = store
        self.reactor = reactor
        self.owner = owner
        answeredAt = reactor.now
        let inDoubt =
            switch job?.progress.doubt ?? .nothing {
            case .nothing: 0
            case .usual: BroadcastCore.Configuration().openPages
            case .all: pages.count
            }
        core = BroadcastCore(
            event: order.kind, pages: pages, inDoubt: inDoubt,
            devices: order.pages(of: ticket.part).reduce(0) { $0 + order.devices(inPage: $1) })
    }

    /// Begins the run. It reports its end to the owner once, possibly before this call returns.
    func begin() {
        if let reason = job?.progress.stopReason {
            isStopKnown = true
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
        self.isHeld = isHeld
        if !isHeld { broadcaster?.roomGrew() }
    }

    // MARK: Stopping

    /// Stops sending, because a newer broadcast takes over. The newer one waits for the pushes that have no answer, so
    /// the last few of an update are cancelled after a second. Phones drop older content that arrives later.
    func supersede() {
        stopSending(.superseded)
        guard order.kind == .update, supersededTimer == nil, core.stopReason == .superseded else { return }
        cancelStragglersLater()
    }

    private func cancelStragglersLater() {
        guard !isOver else { return }
        supersededTimer = reactor.schedule(after: BroadcastRun.stragglerTimeout) { [weak self] in
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
        if core.stopReason == nil { isStopKnown = true }
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
        isLeavingEarly = true
        handOver()
        advance()
    }

    /// Leaves a page that was not sent to all of its devices to another gateway.
    func leavePage() {
        leavesDoubt = leavesDoubt || pushed != nil
    }

    private func leaveEarly() {
        guard isLeavingEarly, !isLost, !isOver, !core.isFinished, writes == 0, core.beingNoted == 0,
            !core.hasPartialResults, core.isIncomplete
        else { return }
        isLost = true
        end(.handedOver)
    }

    /// Ends the run because another gateway has the job. Pushes under way are awaited; those of a start are recorded.
    func lose() {
        guard !isLost else { return }
        isLost = true
        core.stopReading()
        stopSending(.handedOver)
    }

    /// Stops sending, and withdraws the pushes that wait in the provider's client.
    private func stopSending(_ reason: BroadcastCore.StopReason) {
        guard core.stopReason == nil, !isOver else { return }
        core.stop(reason)
        broadcaster?.provider.withdraw(self)
        advance()
    }

    /// Stops the run when its content has expired. An end expires when a phone would no longer show the Live Activity,
    /// and each end is tried for at least a minute.
    private func watchExpiration() {
        guard order.expiration > 0, !isOver, core.stopReason == nil else { return }
        let left = WallTime(seconds: order.expiration).milliseconds - store.wallClock().milliseconds
        if left <= 0, order.kind != .end || isPatienceOver {
            return stopSending(.stopped(reason: BroadcastTally.OwnReason.expired.rawValue))
        }
        // The clock may be set meanwhile: it is looked at again, and never trusted for long.
        let pause = TimeInterval.milliseconds(Int(max(100, min(left, 60_000))))
        if order.kind != .end { rendered?.notAfter = reactor.now + .milliseconds(Int(min(left, 86_400_000))) }
        expiryTimer = reactor.schedule(after: pause) { [weak self] in self?.watchExpiration() }
    }

    lazy var began = reactor.now
    /// The time for which an end is tried although it has expired.
    private static let endPatience = TimeInterval.seconds(60)
    private var isPatienceOver: Bool { reactor.now - began >= BroadcastRun.endPatience }

    // MARK: Going on

    func advance() {
        guard !isOver else { return }
        if !isStopNoted, job != nil, !isLost, case .stopped(let reason) = core.stopReason {
            // The other parts of the broadcast need not find it out again.
            isStopNoted = true
            if !isStopKnown {
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
        if isLeavingEarly { recordPart() }
        leaveEarly()
        restOrResume()
        if core.isFinished, writes == 0 { conclude() } else { pump() }
    }

    /// Frees the place of a job that has only retries left, and takes it again when a retry is due.
    func restOrResume() {
        let rests = !isOver && core.isResting(now: reactor.now)
        if rests, !isResting {
            isResting = owner?.rest(self) ?? false
        } else if !rests, isResting {
            isResting = false
            owner?.resume(self)
        }
    }

    /// Something that was waited for has come.
    func concludeIfDone() {
        leaveEarly()
        if core.isFinished, writes == 0 { conclude() }
    }

    private func conclude() {
        if !refused.isEmpty { quarantineRefused() }
        guard !isOver, writes == 0 else { return }
        isOver = true
        for timer in [retryTimer?.timer, recordTimer, expiryTimer, supersededTimer] {
            if let timer { reactor.cancel(timer) }
        }
        if !isLost, !core.isIncomplete, core.stopReason == nil, let reason = core.alarm.reasonOfNearlyAll {
            owner?.rejected(self, reason)
        }
        if !isLost, let reason = core.alarm.reasonOfWrongEnvironment {
            // Before the job is done, for its broadcast may be then.
            store.broadcasts.noteWrongEnvironment(order)
            owner?.wrongEnvironment(self, reason)
        }
        end(isLost ? .lost : core.isIncomplete ? .handedOver : .complete)
    }

    private func end(_ end: RunEnd) {
        broadcaster?.remove(self)
        owner?.ended(self, end)
    }

    /// There may be something to push.
    func pump() { broadcaster?.pump() }
}
